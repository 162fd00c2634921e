import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A queue manager for a test: a process of `mq-oracle listen`, which ends with this one at the latest. */
public final class TestQueueManager implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final PrintStream lines;
    public final int port;

    public TestQueueManager(String... queues) throws IOException {
        List<String> command =
            new ArrayList<>(List.of("mq-oracle", "listen", "--port", "0", "--clock", "manual", "--end-with-input"));
        for (String queue : queues) {
            command.addAll(List.of("--queue", queue));
        }
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream()));
        lines = new PrintStream(process.getOutputStream(), true);
        String first = answers.readLine();
        if (first == null) {
            throw new IOException("mq-oracle does not listen; it has said why");
        }
        port = Integer.parseInt(first.substring(first.lastIndexOf(' ') + 1));
    }

    /** Moves the clock: messages expire, and calls that wait for so long end. */
    public void advance(int seconds) throws IOException {
        tell("advance " + seconds);
    }

    /** Returns how many messages a queue has. */
    public int depth(String queue) throws IOException {
        return Integer.parseInt(tell("depth " + queue));
    }

    /** Blocks until a call waits for a message, so that nothing is done too early. */
    public void untilWaiting() throws IOException {
        while (tell("waiting").equals("0")) {
            Thread.onSpinWait();
        }
    }

    private String tell(String line) throws IOException {
        lines.println(line);
        String answer = answers.readLine();
        if (answer == null || !answer.startsWith("ok")) {
            throw new IOException(answer);
        }
        return answer.substring(2).trim();
    }

    @Override
    public void close() {
        process.destroy();
    }
}

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** What the programs share: lines to the test, and what they ask of it. */
public class Steps {
    static int port;
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    static void start(String[] args) {
        port = Integer.parseInt(args[0]);
    }

    static void tell(String step, Object result) {
        System.out.println(step + ": " + result);
        System.out.flush();
    }

    /** Asks the test for something that it does while this program goes on; `answer` waits until that is done. */
    static void ask(String what) {
        System.out.println("? " + what);
        System.out.flush();
    }

    static void answer() throws IOException {
        INPUT.readLine();
    }

    /** Moves the queue manager's clock. */
    static void advance(int seconds) throws IOException {
        ask("advance " + seconds);
        answer();
    }
}

import com.ibm.mq.MQException;
import com.ibm.mq.MQQueueManager;

/** Connects with a right and with a wrong password, and without one. */
public class SignOn extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        tell("right", tried("ada", "secret"));
        tell("wrong", tried("ada", "guessed"));
        tell("without", tried(null, null));
        System.exit(0);
    }

    static String tried(String user, String password) {
        try {
            MQQueueManager qm = Mqi.connect(user, password);
            qm.disconnect();
            return "connected";
        } catch (MQException error) {
            return "" + error.reasonCode;
        }
    }
}

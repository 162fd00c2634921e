import com.ibm.mq.MQException;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;

/** Loses its queue manager, and connects again to the one that the test starts in its place. */
public class Again extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        MQQueueManager qm = Mqi.connect(null, null);
        MQQueue queue = qm.accessQueue("Q", MQConstants.MQOO_OUTPUT);
        queue.put(Mqi.message("before"));
        ask("stop");
        answer();
        try {
            queue.put(Mqi.message("lost"));
            tell("broken", "no");
        } catch (MQException error) {
            tell("broken", error.reasonCode);
        }
        ask("start");
        answer();
        MQQueueManager again = Mqi.connect(null, null);
        MQQueue other = again.accessQueue("Q", MQConstants.MQOO_OUTPUT);
        other.put(Mqi.message("after"));
        tell("again", "yes");
        again.disconnect();
        System.exit(0);
    }
}

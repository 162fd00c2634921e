import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import java.net.URI;

/** A program that waits for a message, on a channel that a table of definitions has, until the test puts one. */
public class Heartbeats extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        MQQueueManager qm = new MQQueueManager("QM1", URI.create(args[1]).toURL());
        MQQueue queue = qm.accessQueue("Q", MQConstants.MQOO_INPUT_SHARED);
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQConstants.MQGMO_WAIT;
        how.waitInterval = MQConstants.MQWI_UNLIMITED;
        MQMessage late = new MQMessage();
        ask("put when the client was asked");
        queue.get(late, how);
        answer();
        tell("came", Mqi.text(late));
        qm.disconnect();
        System.exit(0);
    }
}

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import java.util.Hashtable;

/** Connects with TLS and a password, and puts and gets a message. */
public class Tls extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        Hashtable<String, Object> properties = Mqi.properties("ada", "secret");
        properties.put(MQConstants.SSL_CIPHER_SUITE_PROPERTY, "TLS_AES_128_GCM_SHA256");
        MQQueueManager qm = new MQQueueManager("QM1", properties);
        MQQueue queue = qm.accessQueue("Q", MQConstants.MQOO_INPUT_SHARED | MQConstants.MQOO_OUTPUT);
        queue.put(Mqi.message("secretly"));
        MQMessage got = new MQMessage();
        queue.get(got);
        tell("got", Mqi.text(got));
        qm.disconnect();
        System.exit(0);
    }
}

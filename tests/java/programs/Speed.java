import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;

/** Prints how many nanoseconds many puts, and many gets, of 1 KB take at best; bench/bench_network.py runs it. */
public class Speed extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        int count = Integer.parseInt(args[1]);
        MQQueueManager qm = Mqi.connect(null, null);
        MQQueue queue = qm.accessQueue("Q", MQConstants.MQOO_INPUT_SHARED | MQConstants.MQOO_OUTPUT);
        MQPutMessageOptions putting = new MQPutMessageOptions();
        MQGetMessageOptions getting = new MQGetMessageOptions();
        getting.matchOptions = MQConstants.MQMO_NONE;
        byte[] data = new byte[1000];
        long[] took = {Long.MAX_VALUE, Long.MAX_VALUE};
        for (int round = 0; round < 6; round++) {
            long begin = System.nanoTime();
            for (int number = 0; number < count; number++) {
                MQMessage message = new MQMessage();
                message.write(data);
                queue.put(message, putting);
            }
            long between = System.nanoTime();
            for (int number = 0; number < count; number++) {
                queue.get(new MQMessage(), getting);
            }
            long end = System.nanoTime();
            took[0] = Math.min(took[0], between - begin);
            took[1] = Math.min(took[1], end - between);
        }
        System.out.println(took[0]);
        System.out.println(took[1]);
        qm.disconnect();
        System.exit(0);
    }
}

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.LinkedBlockingQueue;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.Queue;

public class Reminders {
    public static void main(String[] args) throws Exception {
        try (TestQueueManager manager = new TestQueueManager("REMINDERS", "OFFERS")) {
            JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
            factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
            factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, "127.0.0.1(" + manager.port + ")");
            factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "TEST.SVRCONN");

            JMSContext listening = factory.createContext();
            JMSContext context = factory.createContext();
            Queue reminders = context.createQueue("REMINDERS"), offers = context.createQueue("OFFERS");
            LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
            listening.createConsumer(reminders).setMessageListener(message -> heard.add("a reminder"));

            JMSProducer producer = context.createProducer().setTimeToLive(3_600_000);
            producer.send(offers, "only within the hour");
            producer.send(reminders, "at once");
            System.out.println("heard: " + heard.take());
            System.out.println("offers: " + manager.depth("OFFERS"));
            manager.advance(3601);
            System.out.println("after an hour: " + context.createConsumer(offers).receiveBodyNoWait(String.class));
            listening.close();
            context.close();
        }
        System.exit(0);
    }
}

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MessageProducer;
import javax.jms.Session;

/** Has the client connect again by itself to the queue manager that the test starts in the place of the first. */
public class Reconnect extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        JmsConnectionFactory factory = Jms.factory();
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT);
        Connection connection = factory.createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(session.createQueue("Q"));
        producer.send(session.createTextMessage("before"));
        ask("stop");
        answer();
        ask("start");
        answer();
        try {
            producer.send(session.createTextMessage("after"));
        } catch (JMSException error) {
            // The client does not know whether a call that was under way has been carried out, and says so (2549).
            tell("interrupted", Jms.reason(() -> { throw error; }));
            producer.send(session.createTextMessage("after"));
        }
        tell("again", "yes");
        connection.close();
        System.exit(0);
    }
}

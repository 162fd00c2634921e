import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.jms.JmsXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.Topic;
import javax.jms.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** What the queue manager lacks: each step prints the reason with which it is refused. */
public class Refused extends Steps {
    private static final int SUBSCRIBE =
        MQConstants.MQSO_CREATE | MQConstants.MQSO_NON_DURABLE | MQConstants.MQSO_MANAGED;

    public static void main(String[] args) throws Exception {
        start(args);
        MQQueueManager qm = Mqi.connect(null, null);
        tell("subscribe", Mqi.reason(() -> qm.accessTopic("prices", null, SUBSCRIBE, null, null)));
        tell("publish", Mqi.reason(() -> qm.accessTopic("prices", null, MQConstants.MQTOPIC_OPEN_AS_PUBLICATION,
            MQConstants.MQOO_OUTPUT)));
        qm.disconnect();
        Connection connection = Jms.factory().createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Topic topic = session.createTopic("prices");
        tell("JMS subscribe", Jms.reason(() -> session.createConsumer(topic)));
        tell("JMS publish", Jms.reason(() -> session.createProducer(topic).send(session.createTextMessage("1"))));
        Queue queue = session.createQueue("Q");
        for (String selector : new String[] {"colour = 'red'", "JMSPriority > 3", "JMSType = 'a' AND JMSPriority = 4"}) {
            tell("selector", Jms.reason(() -> session.createConsumer(queue, selector)));
            tell("browser", Jms.reason(() -> session.createBrowser(queue, selector).getEnumeration()));
        }
        connection.close();
        transactionManager();
        System.exit(0);
    }

    static void transactionManager() throws Exception {
        JmsXAConnectionFactory factory =
            JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createXAConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "APP.SVRCONN");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        XAConnection connection = factory.createXAConnection();
        try {
            connection.createXASession().getXAResource().start(new Branch(), XAResource.TMNOFLAGS);
            tell("XA", "none");
        } catch (IllegalStateException | JMSException | XAException error) {
            tell("XA", error.getMessage().replaceAll("(?s).*(JMSWMQ[0-9]+).*", "$1"));
        }
        connection.close();
    }

    static class Branch implements Xid {
        public int getFormatId() {
            return 1;
        }

        public byte[] getGlobalTransactionId() {
            return new byte[] {1};
        }

        public byte[] getBranchQualifier() {
            return new byte[] {2};
        }
    }
}

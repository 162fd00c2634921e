import com.ibm.mq.MQQueueManager;
import javax.jms.Connection;
import javax.jms.JMSContext;
import javax.jms.Queue;
import javax.jms.Session;

/** Those steps of the other programs that need nobody's help: what they say to a queue manager is worth recording. */
public class Recorded extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        MQQueueManager qm = Mqi.connect(null, null);
        Mqi.putAndGet(qm);
        Mqi.browse(qm);
        Mqi.priorities(qm);
        Mqi.truncated(qm);
        Mqi.unitsOfWork(qm);
        Mqi.groups(qm);
        Mqi.requestAndReply(qm);
        Mqi.commands(qm);
        Mqi.twoConnections(qm);
        qm.disconnect();
        Connection connection = Jms.factory().createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("Q");
        Jms.sendAndReceive(session, queue);
        Jms.browse(session, queue);
        Jms.priorities(session, queue);
        Jms.transacted(connection);
        Jms.poison(connection);
        Jms.requestAndReply(session, queue);
        connection.close();
        Transacted.some(Jms.factory().createContext(JMSContext.SESSION_TRANSACTED), 3);
        tell("end", "");
        System.exit(0);
    }
}

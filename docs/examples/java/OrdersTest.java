import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrdersTest {
    private TestQueueManager manager;
    private JMSContext context;
    private Queue orders;

    @BeforeEach
    void start() throws Exception {
        manager = new TestQueueManager("ORDERS");
        JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, "127.0.0.1(" + manager.port + ")");
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "TEST.SVRCONN");
        context = factory.createContext(JMSContext.SESSION_TRANSACTED);
        orders = context.createQueue("ORDERS");
    }

    @AfterEach
    void stop() {
        context.close();
        manager.close();
    }

    @Test
    void anOrderIsThereAgainWhenItsTransactionFails() throws Exception {
        context.createProducer().send(orders, "a book");
        context.commit();
        assertEquals(1, manager.depth("ORDERS"));
        JMSConsumer consumer = context.createConsumer(orders);
        consumer.receive(1000);
        context.rollback();
        assertEquals(2, consumer.receive(1000).getIntProperty("JMSXDeliveryCount"));
        context.commit();
    }

    @Test
    void anOrderIsGoneAfterADay() throws Exception {
        context.createProducer().setTimeToLive(24 * 3_600_000).send(orders, "a book");
        context.commit();
        manager.advance(24 * 3600);
        assertNull(context.createConsumer(orders).receiveNoWait());
    }
}

import java.util.HashSet;
import java.util.Set;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSProducer;
import javax.jms.Message;
import javax.jms.Queue;
import javax.jms.TextMessage;

/** A transacted session whose producers name their queue with every message: these puts are asynchronous. */
public class Transacted extends Steps {
    public static void main(String[] args) throws Exception {
        start(args);
        JMSContext context = Jms.factory().createContext(JMSContext.SESSION_TRANSACTED);
        some(context, 600);
        failing(context, context.createQueue("SMALL"));
        context.close();
        System.exit(0);
    }

    static void some(JMSContext context, int count) throws JMSException {
        Queue queue = context.createQueue("Q");
        JMSProducer producer = context.createProducer();
        Set<String> identifiers = new HashSet<>();
        for (int number = 0; number < count; number++) {
            TextMessage message = context.createTextMessage("" + number);
            producer.send(queue, message);
            identifiers.add(message.getJMSMessageID());
        }
        tell("identifiers", identifiers.size());
        JMSConsumer consumer = context.createConsumer(queue);
        context.commit();
        boolean inOrder = true;
        for (int number = 0; number < count; number++) {
            Message got = consumer.receive(5000);
            inOrder &= ((TextMessage) got).getText().equals("" + number);
            identifiers.remove(got.getJMSMessageID());
        }
        tell("in order", inOrder);
        tell("left", identifiers.size() + " " + Jms.text(consumer.receiveNoWait()));
        context.commit();
        producer.send(queue, "never");
        context.rollback();
        tell("rolled back", Jms.text(consumer.receiveNoWait()));
    }

    static void failing(JMSContext context, Queue small) throws Exception {
        tell("full", Jms.reason(() -> {
            try {
                for (int number = 0; number < 3; number++) {
                    context.createProducer().send(small, "" + number);
                }
                context.commit();
            } catch (javax.jms.JMSRuntimeException error) {
                throw (JMSException) new JMSException("failed").initCause(error);
            }
        }));
        JMSConsumer consumer = context.createConsumer(small);
        String left = Jms.text(consumer.receiveNoWait());
        context.commit();
        tell("after that", left);
    }
}

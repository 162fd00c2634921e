import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Enumeration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;

/** A program on JMS: each step prints a line, which the test knows beforehand. */
public class Jms extends Steps {
    private static final LinkedBlockingQueue<String> HEARD = new LinkedBlockingQueue<>();

    public static void main(String[] args) throws Exception {
        start(args);
        JmsConnectionFactory factory = factory();
        Connection connection =
            args.length > 1 ? factory.createConnection(args[1], args[2]) : factory.createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("Q");
        sendAndReceive(session, queue);
        browse(session, queue);
        priorities(session, queue);
        transacted(connection);
        poison(connection);
        requestAndReply(session, queue);
        selectors(session, queue);
        expiry(session, queue);
        listener(connection, session, queue);
        if (args.length == 1) {
            waits(session, queue);
        }
        tell("unknown queue", reason(() -> session.createProducer(session.createQueue("NOWHERE"))));
        connection.close();
        tell("end", "");
        System.exit(0);
    }

    static JmsConnectionFactory factory() throws JMSException {
        JmsConnectionFactory factory =
            JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "APP.SVRCONN");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, "QM1");
        return factory;
    }

    interface Call {
        void make() throws Exception;
    }

    static String reason(Call call) throws Exception {
        try {
            call.make();
            return "none";
        } catch (JMSException error) {
            Throwable cause = error;
            while (cause != null && !cause.getMessage().contains("reason '")) {
                cause = cause.getCause();
            }
            return cause == null ? error.toString() : cause.getMessage().replaceAll("(?s).*reason '([0-9]+)'.*", "$1");
        }
    }

    static String text(Message message) throws JMSException {
        return message == null ? "nothing" : ((TextMessage) message).getText();
    }

    static void sendAndReceive(Session session, Queue queue) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        TextMessage text = session.createTextMessage("hello");
        text.setStringProperty("colour", "red");
        text.setIntProperty("number", 7);
        producer.send(text);
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(new byte[100_000]);
        producer.send(bytes);
        MapMessage map = session.createMapMessage();
        map.setInt("key", 42);
        producer.send(map);
        MessageConsumer consumer = session.createConsumer(queue);
        Message got = consumer.receive(5000);
        tell("text", text(got) + " " + got.getStringProperty("colour") + " " + got.getIntProperty("number"));
        tell("bytes", ((BytesMessage) consumer.receive(5000)).getBodyLength());
        tell("map", ((MapMessage) consumer.receive(5000)).getInt("key"));
        tell("nothing", text(consumer.receiveNoWait()));
        consumer.close();
        producer.close();
    }

    static void browse(Session session, Queue queue) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        for (int number = 0; number < 3; number++) {
            producer.send(session.createTextMessage("" + number));
        }
        QueueBrowser browser = session.createBrowser(queue);
        String seen = "";
        for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); ) {
            seen += text((Message) each.nextElement());
        }
        browser.close();
        MessageConsumer consumer = session.createConsumer(queue);
        String taken = "";
        for (int number = 0; number < 3; number++) {
            taken += text(consumer.receive(5000));
        }
        consumer.close();
        tell("browsed and taken", seen + " " + taken);
    }

    static void priorities(Session session, Queue queue) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        for (int priority : new int[] {1, 8, 4}) {
            producer.setPriority(priority);
            producer.send(session.createTextMessage("" + priority));
        }
        MessageConsumer consumer = session.createConsumer(queue);
        String seen = "";
        for (int number = 0; number < 3; number++) {
            seen += text(consumer.receive(5000));
        }
        consumer.close();
        tell("by priority", seen);
    }

    static void transacted(Connection connection) throws JMSException {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("Q");
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("never"));
        session.rollback();
        producer.send(session.createTextMessage("once"));
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        Message first = consumer.receive(5000);
        session.rollback();
        Message second = consumer.receive(5000);
        session.commit();
        tell("delivered", text(second) + " " + first.getIntProperty("JMSXDeliveryCount") + first.getJMSRedelivered()
            + " " + second.getIntProperty("JMSXDeliveryCount") + second.getJMSRedelivered());
        session.close();
    }

    static void poison(Connection connection) throws JMSException {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("FRAGILE");
        session.createProducer(queue).send(session.createTextMessage("poison"));
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int times = 0; times < 2; times++) {
            consumer.receive(5000);
            session.rollback();
        }
        String then = text(consumer.receiveNoWait());
        session.commit();
        Message aside = session.createConsumer(session.createQueue("ASIDE")).receive(5000);
        session.commit();
        tell("poison", then + ", and aside " + text(aside));
        session.close();
    }

    static void requestAndReply(Session session, Queue queue) throws JMSException {
        TemporaryQueue replies = session.createTemporaryQueue();
        TextMessage request = session.createTextMessage("?");
        request.setJMSReplyTo(replies);
        session.createProducer(queue).send(request);
        MessageConsumer consumer = session.createConsumer(queue);
        Message asked = consumer.receive(5000);
        MessageProducer producer = session.createProducer(asked.getJMSReplyTo());
        producer.send(session.createTextMessage("another"));
        TextMessage reply = session.createTextMessage("!");
        reply.setJMSCorrelationID(asked.getJMSMessageID());
        producer.send(reply);
        producer.close();
        consumer.close();
        String selector = "JMSCorrelationID='" + request.getJMSMessageID() + "'";
        MessageConsumer answers = session.createConsumer(replies, selector);
        tell("reply", text(answers.receive(5000)));
        answers.close();
        replies.delete();
    }

    static void selectors(Session session, Queue queue) throws Exception {
        tell("selector", reason(() -> session.createConsumer(queue, "colour='red'")));
        MessageProducer producer = session.createProducer(queue);
        TextMessage[] sent = new TextMessage[2];
        for (int number = 0; number < 2; number++) {
            sent[number] = session.createTextMessage("" + number);
            sent[number].setJMSCorrelationID("order " + number);
            producer.send(sent[number]);
        }
        String seen = "";
        for (String selector : new String[] {
            "JMSMessageID = '" + sent[0].getJMSMessageID() + "'",
            "JMSCorrelationID = 'ID:" + hex("order 1", 48) + "'",
        }) {
            MessageConsumer consumer = session.createConsumer(queue, selector);
            seen += text(consumer.receive(1000));
            consumer.close();
        }
        tell("selected", seen);
        tell("selector", reason(() -> session.createConsumer(queue, "JMSCorrelationID = 'order 1'")));
    }

    /** Returns text as the digits of its bytes, filled with zeros. */
    static String hex(String text, int size) {
        StringBuilder found = new StringBuilder();
        for (char each : text.toCharArray()) {
            found.append(String.format("%02x", (int) each));
        }
        while (found.length() < size) {
            found.append('0');
        }
        return found.toString();
    }

    static void expiry(Session session, Queue queue) throws Exception {
        MessageProducer producer = session.createProducer(queue);
        producer.setTimeToLive(60_000);
        producer.send(session.createTextMessage("short"));
        producer.setTimeToLive(0);
        producer.send(session.createTextMessage("long"));
        advance(61);
        MessageConsumer consumer = session.createConsumer(queue);
        // A queue manager that returns the expired one leaves nothing behind either for the steps that follow.
        tell("not expired", text(consumer.receive(5000)) + " " + text(consumer.receiveNoWait()));
        consumer.close();
    }

    static void listener(Connection connection, Session session, Queue queue) throws Exception {
        Session listening = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = listening.createConsumer(queue);
        int[] count = {0};
        consumer.setMessageListener(message -> {
            try {
                HEARD.add(text(message) + message.getIntProperty("JMSXDeliveryCount"));
                if (count[0]++ == 0) {
                    listening.rollback();
                } else {
                    listening.commit();
                }
            } catch (JMSException error) {
                HEARD.add(error.toString());
            }
        });
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("a"));
        tell("heard", heard() + " " + heard());
        producer.send(session.createTextMessage("b"));
        producer.send(session.createTextMessage("c"));
        tell("heard", heard() + " " + heard());
        connection.stop();
        ask("put when stopped");
        answer();
        tell("stopped", HEARD.poll(300, TimeUnit.MILLISECONDS));
        connection.start();
        tell("started", heard());
        consumer.close();
        listening.close();
    }

    static String heard() throws InterruptedException {
        return HEARD.poll(20, TimeUnit.SECONDS);
    }

    static void waits(Session session, Queue queue) throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        ask("advance 3600 when waiting");
        tell("an hour later", text(consumer.receive(3_600_000)));
        answer();
        consumer.close();
    }
}

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.CompletionListener;
import javax.jms.Connection;
import javax.jms.ConnectionConsumer;
import javax.jms.DeliveryMode;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.ServerSession;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;

/** What JMS programs do besides: each step prints a line, which the test knows beforehand. */
public class More extends Steps {
    private static Connection connection;
    private static Session session;
    private static Queue queue;

    public static void main(String[] args) throws Exception {
        start(args);
        connection = Jms.factory().createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        queue = session.createQueue("Q");
        acknowledged();
        completed();
        readAhead();
        reported();
        throwing();
        connectionConsumer();
        closedWhileReceiving("consumer closed", false);
        closedWhileReceiving("connection closed", true);
        tell("end", "");
        System.exit(0);
    }

    static void send(String text) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage(text));
        producer.close();
    }

    static String receive(Queue from) throws JMSException {
        MessageConsumer consumer = session.createConsumer(from);
        String found = Jms.text(consumer.receive(5000));
        consumer.close();
        return found;
    }

    static void acknowledged() throws JMSException {
        Session client = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        send("1");
        send("2");
        MessageConsumer consumer = client.createConsumer(queue);
        consumer.receive(5000);
        consumer.receive(5000);
        client.recover();
        int times = consumer.receive(5000).getIntProperty("JMSXDeliveryCount");
        consumer.receive(5000).acknowledge();
        tell("acknowledged", times + " " + Jms.text(consumer.receiveNoWait()));
        client.close();
    }

    static void completed() throws Exception {
        JMSContext context = Jms.factory().createContext();
        CompletableFuture<String> done = new CompletableFuture<>();
        context.createProducer().setAsync(new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                done.complete("completed");
            }

            @Override
            public void onException(Message message, Exception error) {
                done.complete(error.toString());
            }
        }).send(queue, "sent");
        tell("asynchronous send", done.get(20, TimeUnit.SECONDS) + " " + receive(queue));
        context.close();
    }

    static void readAhead() throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int number = 0; number < 100; number++) {
            producer.send(session.createTextMessage("" + number));
        }
        MessageConsumer consumer = session.createConsumer(session.createQueue("queue:///Q?readAheadAllowed=1"));
        int right = 0;
        for (int number = 0; number < 100; number++) {
            right += Jms.text(consumer.receive(5000)).equals("" + number) ? 1 : 0;
        }
        tell("read ahead", right + " " + Jms.text(consumer.receiveNoWait()));
        consumer.close();
        producer.close();
    }

    static void reported() throws JMSException {
        TemporaryQueue reports = session.createTemporaryQueue();
        TextMessage message = session.createTextMessage("confirmed");
        message.setJMSReplyTo(reports);
        message.setIntProperty("JMS_IBM_Report_COD", 2048);
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        producer.send(message);
        String got = receive(queue);
        MessageConsumer consumer = session.createConsumer(reports);
        tell("reported", got + " " + consumer.receive(5000).getIntProperty("JMS_IBM_Feedback"));
        consumer.close();
        reports.delete();
    }

    static void throwing() throws Exception {
        Session listening = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        BlockingQueue<Integer> times = new LinkedBlockingQueue<>();
        listening.createConsumer(queue).setMessageListener(message -> {
            int count;
            try {
                count = message.getIntProperty("JMSXDeliveryCount");
            } catch (JMSException error) {
                count = -1;
            }
            times.add(count);
            if (count == 1) {
                throw new IllegalStateException("not this time");
            }
        });
        send("again");
        tell("listener that throws", times.poll(20, TimeUnit.SECONDS) + " " + times.poll(20, TimeUnit.SECONDS));
        listening.close();
    }

    /** Receives as the containers of application servers do. */
    static void connectionConsumer() throws Exception {
        Session pooled = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        pooled.setMessageListener(message -> {
            try {
                heard.add(Jms.text(message));
            } catch (JMSException error) {
                heard.add(error.toString());
            }
        });
        ServerSession server = new ServerSession() {
            @Override
            public Session getSession() {
                return pooled;
            }

            @Override
            public void start() {
                new Thread(pooled).start();
            }
        };
        ConnectionConsumer consumer = connection.createConnectionConsumer(queue, null, () -> server, 1);
        send("pooled");
        String first = heard.poll(20, TimeUnit.SECONDS);
        send("later");
        tell("connection consumer", first + " " + heard.poll(20, TimeUnit.SECONDS));
        consumer.close();
        pooled.close();
    }

    static void closedWhileReceiving(String step, boolean whole) throws Exception {
        Session receiving = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = receiving.createConsumer(queue);
        CompletableFuture<String> received = CompletableFuture.supplyAsync(() -> {
            try {
                return Jms.text(consumer.receive());
            } catch (JMSException error) {
                return error.toString();
            }
        });
        ask("nothing when waiting");
        answer();
        if (whole) {
            connection.close();
        } else {
            receiving.close();
        }
        tell(step, received.get(20, TimeUnit.SECONDS));
    }
}

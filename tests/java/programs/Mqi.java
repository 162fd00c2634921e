import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.util.Hashtable;

/** A program on the MQ classes for Java: each step prints a line, which the test knows beforehand. */
public class Mqi extends Steps {
    private static final int BOTH = MQConstants.MQOO_INPUT_SHARED | MQConstants.MQOO_OUTPUT | MQConstants.MQOO_INQUIRE;

    public static void main(String[] args) throws Exception {
        start(args);
        MQQueueManager qm = connect(null, null);
        try {
            putAndGet(qm);
            browse(qm);
            priorities(qm);
            truncated(qm);
            unitsOfWork(qm);
            groups(qm);
            requestAndReply(qm);
            attributes(qm);
            expiry(qm);
            waits(qm);
            longMessage(qm);
            commands(qm);
            tell("unknown queue", reason(() -> qm.accessQueue("NOWHERE", MQConstants.MQOO_OUTPUT)));
            twoConnections(qm);
        } finally {
            qm.disconnect();
        }
        tell("end", "");
        System.exit(0);
    }

    static MQQueueManager connect(String user, String password) throws MQException {
        return new MQQueueManager("QM1", properties(user, password));
    }

    static Hashtable<String, Object> properties(String user, String password) {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.HOST_NAME_PROPERTY, "127.0.0.1");
        properties.put(MQConstants.PORT_PROPERTY, port);
        properties.put(MQConstants.CHANNEL_PROPERTY, "APP.SVRCONN");
        if (user != null) {
            properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, true);
            properties.put(MQConstants.USER_ID_PROPERTY, user);
            properties.put(MQConstants.PASSWORD_PROPERTY, password);
        }
        return properties;
    }

    static MQMessage message(String text) throws Exception {
        MQMessage message = new MQMessage();
        message.format = MQConstants.MQFMT_STRING;
        message.writeString(text);
        return message;
    }

    static MQMessage get(MQQueue queue, int options) throws MQException {
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = options;
        how.matchOptions = MQConstants.MQMO_NONE;
        MQMessage message = new MQMessage();
        queue.get(message, how);
        return message;
    }

    static String text(MQMessage message) throws Exception {
        return message.readStringOfByteLength(message.getMessageLength());
    }

    static void put(MQQueue queue, MQMessage message, int options) throws MQException {
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = options;
        queue.put(message, how);
    }

    interface Call {
        void make() throws Exception;
    }

    static String reason(Call call) throws Exception {
        try {
            call.make();
            return "none";
        } catch (MQException error) {
            return "" + error.reasonCode;
        }
    }

    static void putAndGet(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        put(queue, message("hello"), MQConstants.MQPMO_NO_SYNCPOINT);
        tell("depth", queue.getCurrentDepth());
        MQMessage got = get(queue, MQConstants.MQGMO_NO_SYNCPOINT);
        tell("got", text(got) + " " + got.format.trim() + " " + got.putApplicationType);
        tell("empty", reason(() -> get(queue, MQConstants.MQGMO_NO_SYNCPOINT)));
        queue.close();
    }

    static void browse(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH | MQConstants.MQOO_BROWSE);
        put(queue, message("1"), 0);
        put(queue, message("2"), 0);
        String seen = text(get(queue, MQConstants.MQGMO_BROWSE_FIRST)) + text(get(queue, MQConstants.MQGMO_BROWSE_NEXT));
        tell("browsed", seen + " " + reason(() -> get(queue, MQConstants.MQGMO_BROWSE_NEXT)));
        tell("taken", text(get(queue, MQConstants.MQGMO_MSG_UNDER_CURSOR)) + text(get(queue, 0)));
        queue.close();
    }

    static void priorities(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        for (int priority : new int[] {2, 9, 5}) {
            MQMessage message = message("" + priority);
            message.priority = priority;
            put(queue, message, 0);
        }
        tell("by priority", text(get(queue, 0)) + text(get(queue, 0)) + text(get(queue, 0)));
        queue.close();
    }

    static void truncated(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        put(queue, message("0123456789"), 0);
        tell("too long", reason(() -> queue.get(new MQMessage(), new MQGetMessageOptions(), 4)));
        MQGetMessageOptions accepts = new MQGetMessageOptions();
        accepts.options = MQConstants.MQGMO_ACCEPT_TRUNCATED_MSG;
        tell("cut", reason(() -> queue.get(new MQMessage(), accepts, 4)));
        tell("then", reason(() -> get(queue, 0)));
        queue.close();
    }

    static void unitsOfWork(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        put(queue, message("1"), MQConstants.MQPMO_SYNCPOINT);
        qm.backout();
        tell("backed out", reason(() -> get(queue, 0)));
        put(queue, message("2"), MQConstants.MQPMO_SYNCPOINT);
        qm.commit();
        int first = get(queue, MQConstants.MQGMO_SYNCPOINT).backoutCount;
        qm.backout();
        MQMessage again = get(queue, MQConstants.MQGMO_SYNCPOINT);
        qm.commit();
        tell("backout count", first + " " + again.backoutCount);
        queue.close();
    }

    static void groups(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        for (int number = 1; number <= 3; number++) {
            MQMessage message = message("" + number);
            message.messageFlags = number == 3 ? MQConstants.MQMF_LAST_MSG_IN_GROUP : MQConstants.MQMF_MSG_IN_GROUP;
            put(queue, message, MQConstants.MQPMO_LOGICAL_ORDER | MQConstants.MQPMO_NO_SYNCPOINT);
        }
        int order = MQConstants.MQGMO_LOGICAL_ORDER | MQConstants.MQGMO_ALL_MSGS_AVAILABLE;
        String seen = "";
        for (int number = 1; number <= 3; number++) {
            MQMessage message = get(queue, order);
            seen += text(message) + message.messageSequenceNumber + " ";
        }
        tell("group", seen.trim());
        queue.close();
    }

    static void requestAndReply(MQQueueManager qm) throws Exception {
        MQQueue requests = qm.accessQueue("Q", BOTH);
        MQQueue replies = qm.accessQueue("SYSTEM.DEFAULT.MODEL.QUEUE", BOTH, null, "ANSWER.*", null);
        MQMessage request = message("?");
        request.messageType = MQConstants.MQMT_REQUEST;
        request.replyToQueueName = replies.getName();
        put(requests, request, 0);
        MQMessage asked = get(requests, 0);
        MQQueue answers = qm.accessQueue(asked.replyToQueueName.trim(), MQConstants.MQOO_OUTPUT);
        put(answers, message("another"), 0);
        MQMessage reply = message("!");
        reply.correlationId = asked.messageId;
        put(answers, reply, 0);
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.matchOptions = MQConstants.MQMO_MATCH_CORREL_ID;
        how.options = MQConstants.MQGMO_WAIT;
        how.waitInterval = 1000;
        MQMessage found = new MQMessage();
        found.correlationId = request.messageId;
        replies.get(found, how);
        tell("reply", text(found) + " on " + replies.getName().trim().substring(0, 7));
        answers.close();
        replies.close();
        requests.close();
    }

    static void attributes(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH | MQConstants.MQOO_SET);
        queue.setInhibitPut(MQConstants.MQQA_PUT_INHIBITED);
        tell("inhibited", reason(() -> put(queue, message(""), 0)) + " " + queue.getInhibitPut());
        queue.setInhibitPut(MQConstants.MQQA_PUT_ALLOWED);
        tell("longest", queue.getMaximumMessageLength());
        queue.close();
    }

    static void expiry(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        MQMessage message = message("short");
        message.expiry = 50;
        put(queue, message, 0);
        advance(4);
        put(queue, message("long"), 0);
        advance(40);
        tell("not expired", text(get(queue, 0)) + " " + reason(() -> get(queue, 0)));
        queue.close();
    }

    static void waits(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQConstants.MQGMO_WAIT;
        how.waitInterval = 3_600_000;
        ask("advance 3600 when waiting");
        tell("an hour later", reason(() -> queue.get(new MQMessage(), how)));
        answer();
        ask("put when waiting");
        MQMessage late = new MQMessage();
        queue.get(late, how);
        answer();
        tell("came", text(late));
        queue.close();
    }

    static void longMessage(MQQueueManager qm) throws Exception {
        MQQueue queue = qm.accessQueue("Q", BOTH);
        byte[] data = new byte[4_000_000];
        data[data.length - 1] = 7;
        MQMessage message = new MQMessage();
        message.write(data);
        put(queue, message, 0);
        MQMessage got = get(queue, 0);
        got.seek(got.getMessageLength() - 1);
        tell("long", got.getMessageLength() + " " + got.readByte());
        queue.close();
    }

    static void commands(MQQueueManager qm) throws Exception {
        PCFMessageAgent agent = new PCFMessageAgent(qm);
        agent.setWaitInterval(5000);
        PCFMessage create = new PCFMessage(MQConstants.MQCMD_CREATE_Q);
        create.addParameter(MQConstants.MQCA_Q_NAME, "MADE");
        create.addParameter(MQConstants.MQIA_Q_TYPE, MQConstants.MQQT_LOCAL);
        create.addParameter(MQConstants.MQIA_MAX_Q_DEPTH, 77);
        agent.send(create);
        PCFMessage inquire = new PCFMessage(MQConstants.MQCMD_INQUIRE_Q);
        inquire.addParameter(MQConstants.MQCA_Q_NAME, "MADE");
        PCFMessage[] found = agent.send(inquire);
        tell("by command", found[0].getStringParameterValue(MQConstants.MQCA_Q_NAME).trim() + " "
            + found[0].getIntParameterValue(MQConstants.MQIA_MAX_Q_DEPTH));
        agent.disconnect();
    }

    static void twoConnections(MQQueueManager qm) throws Exception {
        MQQueueManager other = connect(null, null);
        MQQueue here = qm.accessQueue("Q", BOTH);
        MQQueue there = other.accessQueue("Q", BOTH);
        put(there, message("1"), MQConstants.MQPMO_SYNCPOINT);
        String before = reason(() -> get(here, 0));
        other.commit();
        tell("of another connection", before + " " + text(get(here, 0)));
        other.disconnect();
        here.close();
    }
}

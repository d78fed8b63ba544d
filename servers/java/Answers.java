import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.util.ajax.JSON;

/**
 * The answers of dialects without events (../CONTRACT.md, Behaviours), null if the message is no ping. All Java engines parse JSON with
 * the same library, Jetty's.
 */
final class Answers {
    private static final JSON READER = new JSON();
    private static final AtomicLong PINGS = new AtomicLong();

    private Answers() {}

    /** The `pingpong`, with a count of this process's pings, as in listing A.2 of the thesis. */
    static String answerPing(String text) {
        if (!"ping".equals(read(text, "event"))) return null;
        return "{\"event\":\"pong\",\"data\":" + PINGS.incrementAndGet() + "}";
    }

    /** The `json-ping`, with the time of this server's clock in whole Unix seconds. */
    static String answerJsonPing(String text) {
        if (!"ping".equals(read(text, "data"))) return null;
        return "{\"data\":\"pong\",\"timestamp\":" + System.currentTimeMillis() / 1000 + "}";
    }

    /** Makes a behaviour for text and binary messages from one for text. A binary message has no answer. */
    static UnaryOperator<Object> toText(UnaryOperator<String> answer) {
        return message -> message instanceof String text ? answer.apply(text) : null;
    }

    private static Object read(String text, String key) {
        try {
            return READER.fromJSON(text) instanceof Map<?, ?> message ? message.get(key) : null;
        } catch (RuntimeException error) {
            return null; // not this dialect: do not answer, but do not close either
        }
    }
}

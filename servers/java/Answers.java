import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.util.ajax.JSON;

/**
 * The answers of dialects without events (../CONTRACT.md, Behaviours). All engines in Java read JSON by the same library, Jetty's; to what is no ping
 * there is none, null.
 */
final class Answers {
    private static final JSON READER = new JSON();
    private static final AtomicLong PINGS = new AtomicLong();

    private Answers() {}

    /** The `pingpong`, with the count of this process's pings, as listing A.2 of the thesis has it. */
    static String answerPing(String text) {
        if (!"ping".equals(read(text, "event"))) return null;
        return "{\"event\":\"pong\",\"data\":" + PINGS.incrementAndGet() + "}";
    }

    /** The `json-ping`, with the time of this server's clock in whole Unix seconds. */
    static String answerJsonPing(String text) {
        if (!"ping".equals(read(text, "data"))) return null;
        return "{\"data\":\"pong\",\"timestamp\":" + System.currentTimeMillis() / 1000 + "}";
    }

    /** A behaviour that answers text, for engines whose behaviours take a message of either type: to a binary one there is no answer. */
    static UnaryOperator<Object> toText(UnaryOperator<String> answer) {
        return message -> message instanceof String text ? answer.apply(text) : null;
    }

    private static Object read(String text, String key) {
        try {
            return READER.fromJSON(text) instanceof Map<?, ?> message ? message.get(key) : null;
        } catch (RuntimeException error) {
            return null; // not this dialect: a message without an answer, not a reason to close
        }
    }
}

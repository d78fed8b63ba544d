import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The set of connections, for the `broadcast` of engines with messages of type String and ByteBuffer. All connections get the same
 * messages in the same order.
 */
final class Crowd<C> {
    /** How to send to a member. */
    interface Telling<C> {
        /** Sends a message to a member, and runs `sent` once it is sent, now or later. */
        void send(C member, Object message, Runnable sent) throws Exception;
    }

    /** How to close a member's connection. */
    interface Ending<C> {
        void end(C member) throws Exception;
    }

    /** Unsent bytes of each member. */
    private final Map<C, AtomicInteger> waitingB = new ConcurrentHashMap<>();
    private final Telling<C> telling;
    private final Ending<C> ending;

    Crowd(Telling<C> telling, Ending<C> ending) {
        this.telling = telling;
        this.ending = ending;
    }

    /** Adds a connection, but only in the behaviour `broadcast`. */
    void join(C member) {
        if (Contract.isAsked("broadcast")) waitingB.put(member, new AtomicInteger());
    }

    void leave(C member) {
        waitingB.remove(member);
    }

    /** The behaviour: sends a message to all members. Returns null: no other answer. Copies a buffer, because the engine reuses it. */
    synchronized Object tell(Object message) {
        Object own = message instanceof ByteBuffer bytes ? ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip() : message;
        int lengthB = own instanceof ByteBuffer bytes ? bytes.remaining() : own.toString().length();
        waitingB.forEach((member, waiting) -> tell(member, waiting, own instanceof ByteBuffer bytes ? bytes.duplicate() : own, lengthB));
        return null;
    }

    /** Removes a member if sending fails. Removes and closes it if it has more unsent bytes than the common limit. */
    private void tell(C member, AtomicInteger waiting, Object message, int lengthB) {
        try {
            if (waiting.getAndAdd(lengthB) > Contract.UNSENT_MAX_B) {
                leave(member);
                ending.end(member);
            } else {
                telling.send(member, message, () -> waiting.addAndGet(-lengthB));
            }
        } catch (Exception error) {
            leave(member); // the client has gone
        }
    }
}

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who is connected, for the `broadcast` of engines whose messages are String and ByteBuffer. All are told the same messages in the same order, whoever
 * tells them.
 */
final class Crowd<C> {
    /** How a member is told. */
    interface Telling<C> {
        /** Sends a message to a member, and runs `sent` when it has been, now or later. */
        void send(C member, Object message, Runnable sent) throws Exception;
    }

    /** How a member's connection is ended. */
    interface Ending<C> {
        void end(C member) throws Exception;
    }

    /** How much waits for each member. */
    private final Map<C, AtomicInteger> waitingB = new ConcurrentHashMap<>();
    private final Telling<C> telling;
    private final Ending<C> ending;

    Crowd(Telling<C> telling, Ending<C> ending) {
        this.telling = telling;
        this.ending = ending;
    }

    /** Takes in a connection; none where the behaviour is another. */
    void join(C member) {
        if (Contract.isAsked("broadcast")) waitingB.put(member, new AtomicInteger());
    }

    void leave(C member) {
        waitingB.remove(member);
    }

    /** The behaviour: tells everyone a message, to which there is no other answer, null. A buffer is the engine's again when it returns. */
    synchronized Object tell(Object message) {
        Object own = message instanceof ByteBuffer bytes ? ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip() : message;
        int lengthB = own instanceof ByteBuffer bytes ? bytes.remaining() : own.toString().length();
        waitingB.forEach((member, waiting) -> tell(member, waiting, own instanceof ByteBuffer bytes ? bytes.duplicate() : own, lengthB));
        return null;
    }

    /** Who can't be told leaves; so does, and is ended, one for whom more than the limit of all engines waits. */
    private void tell(C member, AtomicInteger waiting, Object message, int lengthB) {
        try {
            if (waiting.getAndAdd(lengthB) > Contract.UNSENT_MAX_B) {
                leave(member);
                ending.end(member);
            } else {
                telling.send(member, message, () -> waiting.addAndGet(-lengthB));
            }
        } catch (Exception error) {
            leave(member); // the client is gone
        }
    }
}

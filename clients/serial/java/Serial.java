import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Shared by the Java libraries (../README.md, The library's program): reads commands, prints times. */
final class Serial {
    static final URI TARGET = URI.create(System.getenv("WSCALE_URL"));
    static final boolean NODELAY = !"off".equals(System.getenv("WSCALE_NODELAY"));
    private static final long ANSWERS_WITHIN_S = 60;

    private static final Map<Integer, byte[]> PAYLOADS = new HashMap<>(); // cached: making one takes longer than an echo
    private static volatile long stopped_ns;

    private Serial() {}

    /** A library calls {@link #stop} once the connection is open, or once the last byte of an answer has arrived; then it returns. */
    interface Library<C> {
        C connect() throws Exception;

        ByteBuffer echo(C connection, byte[] payload) throws Exception;

        void close(C connection) throws Exception;
    }

    /** Stops the clock. */
    static void stop() {
        stopped_ns = System.nanoTime();
    }

    /** Passes a value from a callback to the waiting thread. */
    static final class Mailbox<T> {
        private final BlockingQueue<T> queue = new LinkedBlockingQueue<>();

        void put(T thing) {
            queue.add(thing);
        }

        T take() throws InterruptedException {
            T thing = queue.poll(ANSWERS_WITHIN_S, TimeUnit.SECONDS);
            if (thing == null) throw new IllegalStateException("no answer within " + ANSWERS_WITHIN_S + " s");
            return thing;
        }
    }

    /** Runs commands until the end of standard input, then exits. */
    static <C> void drive(Library<C> library) {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in))) {
            C connection = null;
            say("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("connect")) {
                    long begin_ns = System.nanoTime();
                    connection = library.connect();
                    say("connected " + (stopped_ns - begin_ns));
                } else if (words[0].equals("echo")) {
                    say(echo(library, connection, Integer.parseInt(words[1]), Integer.parseInt(words[2])));
                } else {
                    library.close(connection);
                    say("closed");
                }
            }
        } catch (Exception error) {
            System.err.println(error);
            Runtime.getRuntime().halt(70);
        }
        Runtime.getRuntime().halt(0);
    }

    private static <C> String echo(Library<C> library, C connection, int size_b, int count) throws Exception {
        byte[] expected = PAYLOADS.computeIfAbsent(size_b, Serial::makePayload);
        StringBuilder times = new StringBuilder("echoed");
        for (int k = 0; k < count; k++) {
            byte[] payload = expected.clone(); // a copy: a library may mask it in place
            long begin_ns = System.nanoTime();
            ByteBuffer answer = library.echo(connection, payload);
            times.append(' ').append(stopped_ns - begin_ns);
            if (!answer.equals(ByteBuffer.wrap(expected))) throw new IllegalStateException("an echo of " + size_b + " B came back as other bytes");
        }
        return times.toString();
    }

    /** The same bytes in every language: byte i is i modulo 251. With `whole` reading, the length comes first. */
    private static byte[] makePayload(int size_b) {
        boolean isWhole = "whole".equals(System.getenv("WSCALE_READING"));
        ByteBuffer payload = ByteBuffer.allocate((isWhole ? Integer.BYTES : 0) + size_b);
        if (isWhole) payload.putInt(size_b);
        for (int i = 0; i < size_b; i++) payload.put((byte) (i % 251));
        return payload.array();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Messages in a stream of bytes (../CONTRACT.md, Behaviours, option `reading`). Each begins with its length, big endian. */
final class Messages {
    private static final int LENGTH_B = 4;
    private static final int ROOM_B = 65_536;

    private Messages() {}

    /** Echoes each message once its last byte has arrived, until the stream ends. */
    static void answer(InputStream in, OutputStream out) throws IOException {
        byte[] held = new byte[ROOM_B];
        int heldB = 0;
        for (int length = in.read(held); length >= 0; length = in.read(held, heldB, held.length - heldB)) {
            heldB += length;
            while (heldB >= LENGTH_B) {
                int wholeB = LENGTH_B + ByteBuffer.wrap(held).getInt();
                if (held.length < wholeB) held = Arrays.copyOf(held, wholeB);
                if (heldB < wholeB) break;
                out.write(held, 0, wholeB);
                heldB -= wholeB;
                System.arraycopy(held, wholeB, held, 0, heldB);
            }
        }
    }
}

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Joins the parts of a message, for engines that deliver parts, up to the common limit. One per connection. */
final class Parts {
    private StringBuilder text = new StringBuilder();
    private ByteArrayOutputStream bytes = new ByteArrayOutputStream(0);

    /** Returns the complete message with its last part, else null. */
    String join(String part, boolean isLast) {
        if (isLast && text.isEmpty()) return part;
        refuseAbove(text.length() + part.length());
        text.append(part);
        if (!isLast) return null;
        String whole = text.toString();
        text = new StringBuilder();
        return whole;
    }

    /** Returns the complete message with its last part, else null. */
    ByteBuffer join(ByteBuffer part, boolean isLast) {
        if (isLast && bytes.size() == 0) return part;
        refuseAbove(bytes.size() + part.remaining());
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        bytes.writeBytes(copy);
        if (!isLast) return null;
        ByteBuffer whole = ByteBuffer.wrap(bytes.toByteArray());
        bytes = new ByteArrayOutputStream(0);
        return whole;
    }

    private static void refuseAbove(int heldB) {
        if (heldB > Contract.MESSAGE_MAX_B) throw new IllegalStateException("a message of more than " + Contract.MESSAGE_MAX_B + " bytes");
    }
}

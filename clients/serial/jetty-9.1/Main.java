import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.WebSocketAdapter;
import org.eclipse.jetty.websocket.client.WebSocketClient;

public final class Main implements Serial.Library<Main.Listener> {
    private static final int MESSAGE_MAX_B = 100 << 20;
    private final WebSocketClient client;

    public static void main(String[] arguments) throws Exception {
        Serial.drive(new Main());
    }

    private Main() throws Exception {
        SslContextFactory tls = JettyTls.configure(new SslContextFactory());
        if (tls != null) tls.setSessionCachingEnabled(false); // no resumption, and no DNS lookup of the server's name
        client = new WebSocketClient(tls);
        client.getPolicy().setMaxBinaryMessageSize(MESSAGE_MAX_B);
        client.start();
    }

    @Override
    public Listener connect() throws Exception {
        Listener listener = new Listener();
        client.connect(listener, Serial.TARGET).get(1, TimeUnit.MINUTES);
        listener.opened.take();
        return listener;
    }

    @Override
    public ByteBuffer echo(Listener listener, byte[] payload) throws Exception {
        listener.getRemote().sendBytes(ByteBuffer.wrap(payload), null);
        return listener.answers.take();
    }

    @Override
    public void close(Listener listener) throws Exception {
        listener.getSession().close();
        listener.closed.take();
    }

    public static final class Listener extends WebSocketAdapter {
        private final Serial.Mailbox<Session> opened = new Serial.Mailbox<>();
        private final Serial.Mailbox<ByteBuffer> answers = new Serial.Mailbox<>();
        private final Serial.Mailbox<Integer> closed = new Serial.Mailbox<>();

        @Override
        public void onWebSocketConnect(Session session) {
            Serial.stop();
            super.onWebSocketConnect(session);
            opened.put(session);
        }

        @Override
        public void onWebSocketBinary(byte[] payload, int offset, int length) {
            Serial.stop();
            answers.put(ByteBuffer.wrap(payload, offset, length));
        }

        @Override
        public void onWebSocketClose(int code, String reason) {
            closed.put(code);
        }
    }
}

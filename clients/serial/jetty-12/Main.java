import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.client.WebSocketClient;

public final class Main implements Serial.Library<Main.Listener> {
    private static final long MESSAGE_MAX_B = 100 << 20;
    private final WebSocketClient client;

    public static void main(String[] arguments) throws Exception {
        Serial.drive(new Main());
    }

    private Main() throws Exception {
        ClientConnector connector = new ClientConnector();
        connector.setTCPNoDelay(Serial.NODELAY);
        connector.setSslContextFactory(JettyTls.configure(new SslContextFactory.Client()));
        client = new WebSocketClient(new HttpClient(new HttpClientTransportOverHTTP(connector)));
        client.setMaxBinaryMessageSize(MESSAGE_MAX_B);
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
        listener.getSession().sendBinary(ByteBuffer.wrap(payload), Callback.NOOP);
        return listener.answers.take();
    }

    @Override
    public void close(Listener listener) throws Exception {
        listener.getSession().close();
        listener.closed.take();
        Tls.forget();
    }

    // Jetty calls listeners by reflection: they must be public.
    public static final class Listener extends Session.Listener.AbstractAutoDemanding {
        private final Serial.Mailbox<Session> opened = new Serial.Mailbox<>();
        private final Serial.Mailbox<ByteBuffer> answers = new Serial.Mailbox<>();
        private final Serial.Mailbox<Integer> closed = new Serial.Mailbox<>();

        @Override
        public void onWebSocketOpen(Session session) {
            Serial.stop();
            super.onWebSocketOpen(session);
            opened.put(session);
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            Serial.stop();
            ByteBuffer copy = ByteBuffer.allocate(payload.remaining()); // Jetty reuses the buffer after this call
            answers.put(copy.put(payload).flip());
            callback.succeed();
        }

        @Override
        public void onWebSocketClose(int code, String reason, Callback callback) {
            closed.put(code);
            callback.succeed();
        }
    }
}

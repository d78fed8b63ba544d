import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.WebSocketAdapter;
import org.eclipse.jetty.websocket.servlet.WebSocketServlet;
import org.eclipse.jetty.websocket.servlet.WebSocketServletFactory;

// Answers are sent without waiting until they are: what a slow client does not read waits in memory, as with ws.
public final class Main {
    private static final int MESSAGE_MAX_B = 100 << 20;

    public static void main(String[] arguments) {
        Contract.<Supplier<WebSocketAdapter>>serve(Server.getVersion(), Map.of(
            "echo", Echo::new, "idle", WebSocketAdapter::new,
            "pingpong", () -> answering(Answers::answerPing), "json-ping", () -> answering(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, Supplier<WebSocketAdapter> behaviour) throws Exception {
        Server server = new Server();
        JettyConnector.add(server, address, SslContextFactory::new, ServerConnector::new);
        new ServletContextHandler(server, "/").addServlet(new ServletHolder(createServlet(behaviour)), "/*");
        server.start();
    }

    @SuppressWarnings("serial") // servlets are by descent; this one is never written anywhere
    private static WebSocketServlet createServlet(Supplier<WebSocketAdapter> behaviour) {
        return new WebSocketServlet() {
            @Override
            public void configure(WebSocketServletFactory factory) {
                factory.getPolicy().setIdleTimeout(Integer.MAX_VALUE); // it has no word for never
                factory.getPolicy().setMaxTextMessageSize(MESSAGE_MAX_B);
                factory.getPolicy().setMaxBinaryMessageSize(MESSAGE_MAX_B);
                factory.getExtensionFactory().unregister("permessage-deflate");
                factory.setCreator((request, response) -> behaviour.get());
            }
        };
    }

    private static final class Echo extends WebSocketAdapter {
        @Override
        public void onWebSocketText(String text) {
            getRemote().sendString(text, null);
        }

        @Override
        public void onWebSocketBinary(byte[] payload, int offset, int length) {
            getRemote().sendBytes(ByteBuffer.wrap(payload, offset, length), null);
        }
    }

    private static WebSocketAdapter answering(UnaryOperator<String> answer) {
        return new WebSocketAdapter() {
            @Override
            public void onWebSocketText(String text) {
                String pong = answer.apply(text);
                if (pong != null) getRemote().sendString(pong, null);
            }
        };
    }
}

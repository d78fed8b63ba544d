import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

// Answers are sent without waiting until they are: what a slow client does not read waits in memory, as with ws.
public final class Main {
    private static final long MESSAGE_MAX_B = 100 << 20;

    public static void main(String[] arguments) {
        Contract.<Supplier<Session.Listener>>serve(Server.getVersion(), Map.of(
            "echo", Echo::new, "idle", () -> new Answering(text -> null),
            "pingpong", () -> new Answering(Answers::answerPing), "json-ping", () -> new Answering(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, Supplier<Session.Listener> behaviour) throws Exception {
        Server server = new Server();
        JettyConnector.add(server, address, SslContextFactory.Server::new, ServerConnector::new).setAcceptedTcpNoDelay(Contract.readSwitch("nodelay"));
        ContextHandler context = new ContextHandler("/");
        context.setHandler(WebSocketUpgradeHandler.from(server, context, container -> configure(container, behaviour)));
        server.setHandler(context);
        server.start();
    }

    private static void configure(ServerWebSocketContainer container, Supplier<Session.Listener> behaviour) {
        container.setIdleTimeout(java.time.Duration.ZERO);
        container.setMaxTextMessageSize(MESSAGE_MAX_B);
        container.setMaxBinaryMessageSize(MESSAGE_MAX_B);
        container.addMapping("/*", (request, response, callback) -> {
            response.setExtensions(List.of()); // of those that the client offers: none
            return behaviour.get();
        });
    }

    // Jetty calls listeners by reflection: they must be public.
    public static final class Echo extends Session.Listener.AbstractAutoDemanding {
        @Override
        public void onWebSocketText(String text) {
            getSession().sendText(text, Callback.NOOP);
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            getSession().sendBinary(payload, callback); // the buffer is Jetty's again when it has been sent
        }
    }

    public static final class Answering extends Session.Listener.AbstractAutoDemanding {
        private final UnaryOperator<String> answer;

        Answering(UnaryOperator<String> answer) {
            this.answer = answer;
        }

        @Override
        public void onWebSocketText(String text) {
            String pong = answer.apply(text);
            if (pong != null) getSession().sendText(pong, Callback.NOOP);
        }
    }
}

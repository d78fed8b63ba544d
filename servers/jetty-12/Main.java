import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

public final class Main {
    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Server.getVersion(), Map.of("echo", message -> message, "idle", message -> null,
            "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> behaviour) throws Exception {
        Server server = new Server();
        JettyConnector.add(server, address, SslContextFactory.Server::new, ServerConnector::new).setAcceptedTcpNoDelay(Contract.readSwitch("nodelay"));
        ContextHandler context = new ContextHandler("/");
        context.setHandler(WebSocketUpgradeHandler.from(server, context, container -> configure(container, behaviour)));
        server.setHandler(context);
        server.start();
    }

    private static void configure(ServerWebSocketContainer container, UnaryOperator<Object> behaviour) {
        container.setIdleTimeout(java.time.Duration.ZERO);
        container.setMaxTextMessageSize(Contract.MESSAGE_MAX_B);
        container.setMaxBinaryMessageSize(Contract.MESSAGE_MAX_B);
        container.addMapping("/*", (request, response, callback) -> {
            response.setExtensions(List.of()); // of those that the client offers: none
            return new Conversation(behaviour);
        });
    }

    // One a connection. Jetty calls it by reflection: it must be public.
    public static final class Conversation extends Session.Listener.Abstract {
        private final UnaryOperator<Object> behaviour;

        Conversation(UnaryOperator<Object> behaviour) {
            this.behaviour = behaviour;
        }

        @Override
        public void onWebSocketOpen(Session session) {
            super.onWebSocketOpen(session);
            session.demand();
        }

        @Override
        public void onWebSocketText(String text) {
            if (behaviour.apply(text) instanceof String answer) getSession().sendText(answer, Callback.from(getSession()::demand, error -> { }));
            else getSession().demand();
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            Callback done = Callback.from(() -> { callback.succeed(); getSession().demand(); }, callback::fail); // the buffer is Jetty's again
            if (behaviour.apply(payload) == null) done.succeed();
            else getSession().sendBinary(payload, done);
        }
    }
}

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.*;
import org.eclipse.jetty.websocket.server.*;

public final class Main {
    private static final Crowd<Session> EVERYONE = new Crowd<>(Main::send, Session::disconnect);

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Server.getVersion(), Map.of("echo", message -> message, "idle", message -> null,
            "broadcast", EVERYONE::tell, "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
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
            response.setExtensions(List.of()); // accept none of the client's
            return new Conversation(behaviour);
        });
    }

    private static void send(Session session, Object message, Runnable sent) {
        Callback done = Callback.from(sent, gone -> EVERYONE.leave(session));
        if (message instanceof String text) session.sendText(text, done);
        else session.sendBinary((ByteBuffer) message, done);
    }

    // One per connection. Must be public: Jetty calls it by reflection.
    public static final class Conversation extends Session.Listener.Abstract {
        private final UnaryOperator<Object> behaviour;

        Conversation(UnaryOperator<Object> behaviour) { this.behaviour = behaviour; }

        @Override
        public void onWebSocketOpen(Session session) {
            super.onWebSocketOpen(session);
            EVERYONE.join(session);
            session.demand();
        }

        @Override
        public void onWebSocketText(String text) {
            if (behaviour.apply(text) instanceof String answer) getSession().sendText(answer, Callback.from(getSession()::demand, error -> { }));
            else getSession().demand();
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            Callback done = Callback.from(() -> { callback.succeed(); getSession().demand(); }, callback::fail); // frees the buffer
            if (behaviour.apply(payload) == null) done.succeed();
            else getSession().sendBinary(payload, done);
        }
    }
}

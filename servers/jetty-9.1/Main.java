import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.*;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.*;
import org.eclipse.jetty.websocket.servlet.*;

// Sends answers without waiting for completion: if a client reads slowly, they queue in memory, as in ws.
public final class Main {
    private static final Crowd<Session> EVERYONE = new Crowd<>(Main::send, Session::disconnect);

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Server.getVersion(), Map.of("echo", message -> message, "idle", message -> null,
            "broadcast", EVERYONE::tell, "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> behaviour) throws Exception {
        Server server = new Server();
        JettyConnector.add(server, address, SslContextFactory::new, ServerConnector::new);
        new ServletContextHandler(server, "/").addServlet(new ServletHolder(createServlet(behaviour)), "/*");
        server.start();
    }

    @SuppressWarnings("serial") // servlets inherit Serializable; this one is never serialised
    private static WebSocketServlet createServlet(UnaryOperator<Object> behaviour) {
        return new WebSocketServlet() {
            @Override
            public void configure(WebSocketServletFactory factory) {
                factory.getPolicy().setIdleTimeout(Integer.MAX_VALUE); // it has no value for never
                factory.getPolicy().setMaxTextMessageSize(Contract.MESSAGE_MAX_B);
                factory.getPolicy().setMaxBinaryMessageSize(Contract.MESSAGE_MAX_B);
                factory.getExtensionFactory().unregister("permessage-deflate");
                factory.setCreator((request, response) -> new Conversation(behaviour));
            }
        };
    }

    private static void send(Session session, Object message, Runnable sent) {
        WriteCallback done = sent == null ? null : new WriteCallback() {
            @Override public void writeSuccess() { sent.run(); }
            @Override public void writeFailed(Throwable error) { EVERYONE.leave(session); }
        };
        if (message instanceof String text) session.getRemote().sendString(text, done);
        else if (message != null) session.getRemote().sendBytes((ByteBuffer) message, done);
    }

    private static final class Conversation extends WebSocketAdapter {
        private final UnaryOperator<Object> behaviour;

        Conversation(UnaryOperator<Object> behaviour) { this.behaviour = behaviour; }

        @Override
        public void onWebSocketConnect(Session session) {
            super.onWebSocketConnect(session);
            EVERYONE.join(session);
        }

        @Override public void onWebSocketText(String text) { send(getSession(), behaviour.apply(text), null); }

        @Override
        public void onWebSocketBinary(byte[] payload, int offset, int length) {
            send(getSession(), behaviour.apply(ByteBuffer.wrap(payload, offset, length)), null);
        }

        @Override public void onWebSocketClose(int status, String reason) { EVERYONE.leave(getSession()); }
    }
}

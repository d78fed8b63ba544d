import jakarta.websocket.*;
import jakarta.websocket.server.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.function.UnaryOperator;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;

public final class Main {
    private static final Crowd<Session> EVERYONE = new Crowd<>(Main::send, Session::close);
    private static UnaryOperator<Object> behaviour;

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Contract.versionOf(WsSci.class), Map.of("echo", message -> message, "idle", message -> null,
            "broadcast", EVERYONE::tell, "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> chosen) throws Exception {
        behaviour = chosen;
        Connector connector = new Connector();
        connector.setThrowOnFailure(true);
        connector.setPort(address.getPort());
        Map.of("address", address.getHostString(), "maxConnections", "-1").forEach(connector::setProperty);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getenv("WSCALE_RUN_DIR"));
        tomcat.setConnector(connector);
        var context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "files", new DefaultServlet()).addMapping("/"); // WebSocket is a filter: it needs a servlet to run
        context.addServletContainerInitializer(new WsSci(), Set.of(Conversation.class));
        tomcat.start();
    }

    // Blocks until the message is sent.
    private static void send(Session session, Object message, Runnable sent) throws IOException {
        if (message instanceof String text) session.getBasicRemote().sendText(text);
        else session.getBasicRemote().sendBinary((ByteBuffer) message);
        sent.run();
    }

    public static final class NoExtensions extends ServerEndpointConfig.Configurator {
        @Override
        public List<Extension> getNegotiatedExtensions(List<Extension> installed, List<Extension> requested) { return List.of(); }
    }

    // One per connection. Must be public: Tomcat calls it by reflection. A part of a message is at most one buffer.
    @ServerEndpoint(value = "/", configurator = NoExtensions.class)
    public static final class Conversation {
        private final Parts parts = new Parts();

        @OnOpen
        public void onOpen(Session session) { session.getUserProperties().put("org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT", -1L); EVERYONE.join(session); }

        @OnMessage
        public void onText(Session session, String part, boolean isLast) throws IOException { answer(session, parts.join(part, isLast)); }

        @OnMessage
        public void onBinary(Session session, ByteBuffer part, boolean isLast) throws IOException { answer(session, parts.join(part, isLast)); }

        private static void answer(Session session, Object message) throws IOException {
            Object answer = message == null ? null : behaviour.apply(message);
            if (answer != null) send(session, answer, () -> { });
        }

        @OnClose
        public void onClose(Session session) { EVERYONE.leave(session); }

        @OnError // the client has gone, or violates the protocol
        public void onError(Session session, Throwable error) throws IOException { session.close(); }
    }
}

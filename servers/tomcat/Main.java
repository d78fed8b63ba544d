import jakarta.websocket.*;
import jakarta.websocket.server.ServerEndpoint;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;

public final class Main {
    private static UnaryOperator<Object> behaviour;

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Contract.versionOf(WsSci.class), Map.of("echo", message -> message, "idle", message -> null,
            "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
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
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "files", new DefaultServlet()).addMapping("/"); // WebSocket is a filter: it is asked where a servlet would be
        context.addServletContainerInitializer(new WsSci(), Set.of(Conversation.class));
        tomcat.start();
    }

    public static final class NoExtensions extends ServerEndpointConfig.Configurator {
        @Override
        public List<Extension> getNegotiatedExtensions(List<Extension> installed, List<Extension> requested) {
            return List.of();
        }
    }

    // One a connection. Tomcat calls it by reflection: it must be public. Its parts of a message are of a buffer at most.
    @ServerEndpoint(value = "/", configurator = NoExtensions.class)
    public static final class Conversation {
        private final Parts parts = new Parts();

        @OnMessage
        public void onText(Session session, String part, boolean isLast) throws IOException {
            String text = parts.join(part, isLast);
            if (text != null && behaviour.apply(text) instanceof String answer) session.getBasicRemote().sendText(answer);
        }

        @OnMessage
        public void onBinary(Session session, ByteBuffer part, boolean isLast) throws IOException {
            ByteBuffer bytes = parts.join(part, isLast);
            if (bytes != null && behaviour.apply(bytes) != null) session.getBasicRemote().sendBinary(bytes);
        }

        @OnError
        public void leave(Session session, Throwable error) throws IOException {
            session.close(); // the client is gone, or breaks the protocol
        }
    }
}

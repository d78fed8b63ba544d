import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.websocket.WsConfig;
import io.helidon.webserver.websocket.WsRouting;
import io.helidon.websocket.WsListener;
import io.helidon.websocket.WsSession;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;

public final class Main {
    private static final Crowd<WsSession> EVERYONE = new Crowd<>(Main::send, WsSession::terminate);

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Contract.versionOf(WsRouting.class), Map.of("echo", message -> message, "idle", message -> null,
            "broadcast", EVERYONE::tell, "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> behaviour) throws BindException {
        WebServer server = WebServer.builder().host(address.getHostString()).port(address.getPort())
            .connectionOptions(options -> options.tcpNoDelay(true).readTimeout(Duration.ZERO))
            .idleConnectionTimeout(Duration.ofDays(36_500))
            .addProtocol(WsConfig.builder().maxFrameLength(Contract.MESSAGE_MAX_B).build())
            .addRouting(WsRouting.builder().endpoint("/", () -> new Conversation(behaviour)))
            .build().start();
        if (!server.isRunning()) throw new BindException("its log says why"); // Helidon does not throw it
    }

    // Blocks until the message is sent.
    private static void send(WsSession session, Object message, Runnable sent) {
        if (message instanceof String text) session.send(text, true);
        else session.send(BufferData.create(((ByteBuffer) message).array()), true);
        sent.run();
    }

    // One per connection.
    private static final class Conversation implements WsListener {
        private final UnaryOperator<Object> behaviour;
        private final Parts parts = new Parts();

        Conversation(UnaryOperator<Object> behaviour) { this.behaviour = behaviour; }

        @Override
        public void onOpen(WsSession session) { EVERYONE.join(session); }

        @Override
        public void onMessage(WsSession session, String part, boolean isLast) { answer(session, parts.join(part, isLast)); }

        @Override
        public void onMessage(WsSession session, BufferData part, boolean isLast) { answer(session, parts.join(ByteBuffer.wrap(part.readBytes()), isLast)); }

        @Override
        public void onPing(WsSession session, BufferData payload) { session.pong(payload); }

        @Override
        public void onClose(WsSession session, int status, String reason) { EVERYONE.leave(session); }

        @Override
        public void onError(WsSession session, Throwable error) { EVERYONE.leave(session); }

        private void answer(WsSession session, Object message) {
            Object answer = message == null ? null : behaviour.apply(message);
            if (answer != null) send(session, answer, () -> { });
        }
    }
}

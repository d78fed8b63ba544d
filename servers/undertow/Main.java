import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.websockets.core.*;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.xnio.Buffers;
import org.xnio.IoUtils;

public final class Main {
    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Contract.versionOf(Undertow.class), Map.of("echo", message -> message, "idle", message -> null,
            "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> behaviour) {
        Undertow.builder().setIoThreads(1).setWorkerThreads(1).addHttpListener(address.getPort(), address.getHostString(),
            Handlers.websocket((exchange, channel) -> {
                channel.getReceiveSetter().set(new Conversation(behaviour));
                channel.resumeReceives();
            })).build().start();
    }

    // One a connection. What it sends is counted until it is sent: Undertow would queue without a limit what a client does not read.
    private static final class Conversation extends AbstractReceiveListener implements WebSocketCallback<Runnable> {
        private final UnaryOperator<Object> behaviour;
        private long unsentB;

        Conversation(UnaryOperator<Object> behaviour) {
            this.behaviour = behaviour;
        }

        @Override
        protected long getMaxTextBufferSize() { return Contract.MESSAGE_MAX_B; }

        @Override
        protected long getMaxBinaryBufferSize() { return Contract.MESSAGE_MAX_B; }

        @Override
        protected void onFullTextMessage(WebSocketChannel channel, BufferedTextMessage message) {
            if (!(behaviour.apply(message.getData()) instanceof String answer)) return;
            ByteBuffer bytes = ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8));
            WebSockets.sendText(bytes, channel, this, count(bytes.remaining(), channel, () -> { }));
        }

        @Override
        protected void onFullBinaryMessage(WebSocketChannel channel, BufferedBinaryMessage message) {
            var data = message.getData(); // the buffers are Undertow's again when they have been sent
            if (behaviour.apply(data) == null) data.free();
            else WebSockets.sendBinary(data.getResource(), channel, this, count(Buffers.remaining(data.getResource()), channel, data::free));
        }

        private Runnable count(long sizeB, WebSocketChannel channel, Runnable free) {
            unsentB += sizeB;
            if (unsentB > Contract.UNSENT_MAX_B) IoUtils.safeClose(channel);
            return () -> { unsentB -= sizeB; free.run(); };
        }

        @Override
        public void complete(WebSocketChannel channel, Runnable sent) {
            sent.run();
        }

        @Override
        public void onError(WebSocketChannel channel, Runnable sent, Throwable error) {
            sent.run();
        }
    }
}

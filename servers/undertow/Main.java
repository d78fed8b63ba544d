import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.websockets.core.*;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.UnaryOperator;

public final class Main {
    private static final Crowd<WebSocketChannel> EVERYONE = new Crowd<>(Main::send, WebSocketChannel::close);

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<Object>>serve(Contract.versionOf(Undertow.class), Map.of("echo", message -> message, "idle", message -> null,
            "broadcast", message -> EVERYONE.tell(message instanceof ByteBuffer[] parts ? WebSockets.mergeBuffers(parts) : message),
            "pingpong", Answers.toText(Answers::answerPing), "json-ping", Answers.toText(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<Object> behaviour) {
        Undertow.builder().setIoThreads(1).setWorkerThreads(1).addHttpListener(address.getPort(), address.getHostString(),
            Handlers.websocket((exchange, channel) -> {
                EVERYONE.join(channel);
                channel.addCloseTask(EVERYONE::leave);
                channel.getReceiveSetter().set(new Conversation(behaviour));
                channel.resumeReceives();
            })).build().start();
    }

    private static void send(WebSocketChannel channel, Object message, Runnable sent) {
        if (message instanceof String text) WebSockets.sendText(text, channel, then(sent));
        else WebSockets.sendBinary((ByteBuffer) message, channel, then(sent));
    }

    private static WebSocketCallback<Void> then(Runnable done) {
        return new WebSocketCallback<>() {
            @Override
            public void complete(WebSocketChannel channel, Void context) { done.run(); }

            @Override
            public void onError(WebSocketChannel channel, Void context, Throwable error) { done.run(); }
        };
    }

    private static final class Conversation extends AbstractReceiveListener {
        private final UnaryOperator<Object> behaviour;

        Conversation(UnaryOperator<Object> behaviour) {
            this.behaviour = behaviour;
        }

        @Override
        protected long getMaxTextBufferSize() { return Contract.MESSAGE_MAX_B; }

        @Override
        protected long getMaxBinaryBufferSize() { return Contract.MESSAGE_MAX_B; }

        @Override
        protected void onFullTextMessage(WebSocketChannel channel, BufferedTextMessage message) {
            if (behaviour.apply(message.getData()) instanceof String answer) WebSockets.sendText(answer, channel, null);
        }

        @Override
        protected void onFullBinaryMessage(WebSocketChannel channel, BufferedBinaryMessage message) {
            var data = message.getData();
            if (behaviour.apply(data.getResource()) == null) data.free();
            else WebSockets.sendBinary(data.getResource(), channel, then(data::free)); // returns the buffers to Undertow
        }
    }
}

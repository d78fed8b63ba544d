import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.*;
import io.netty.channel.epoll.*;
import io.netty.channel.group.*;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.UnaryOperator;

public final class Main {
    private static final ChannelGroup EVERYONE = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE); // for `broadcast`

    public static void main(String[] arguments) {
        Contract.<UnaryOperator<WebSocketFrame>>serve(Contract.versionOf(WebSocketFrame.class), Map.of(
            "echo", frame -> frame, "idle", answering(text -> null), "broadcast", frame -> { EVERYONE.writeAndFlush(frame, ChannelMatchers.all(), true); return null; },
            "pingpong", answering(Answers::answerPing), "json-ping", answering(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, UnaryOperator<WebSocketFrame> behaviour) throws Exception {
        var config = WebSocketServerProtocolConfig.newBuilder().websocketPath("/").checkStartsWith(true).maxFramePayloadLength(Contract.MESSAGE_MAX_B).build();
        new ServerBootstrap().group(new EpollEventLoopGroup(1)).channel(EpollServerSocketChannel.class)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(0, Contract.UNSENT_MAX_B))
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65_536), new WebSocketServerProtocolHandler(config),
                        new WebSocketFrameAggregator(Contract.MESSAGE_MAX_B), new Conversation(behaviour));
                }
            }).bind(address).sync();
    }

    private static UnaryOperator<WebSocketFrame> answering(UnaryOperator<String> answer) {
        return frame -> {
            String pong = frame instanceof TextWebSocketFrame text ? answer.apply(text.text()) : null;
            frame.release();
            return pong == null ? null : new TextWebSocketFrame(pong);
        };
    }

    // As in Netty's echo example, it flushes once it has answered all messages of a read. An answer may be the frame itself.
    private static final class Conversation extends SimpleChannelInboundHandler<WebSocketFrame> {
        private final UnaryOperator<WebSocketFrame> behaviour;

        Conversation(UnaryOperator<WebSocketFrame> behaviour) {
            super(false);
            this.behaviour = behaviour;
        }

        @Override // after the handshake; Netty itself removes closed channels
        public void userEventTriggered(ChannelHandlerContext context, Object event) { if (Contract.isAsked("broadcast")) EVERYONE.add(context.channel()); }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            WebSocketFrame answer = behaviour.apply(frame);
            if (answer != null) context.write(answer);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) { context.flush(); }

        @Override // not writable: the client does not read, and its unsent bytes exceed the limit
        public void channelWritabilityChanged(ChannelHandlerContext context) { if (!context.channel().isWritable()) context.close(); }

        @Override // the client has gone, or violates the protocol
        public void exceptionCaught(ChannelHandlerContext context, Throwable error) { context.close(); }
    }
}

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.*;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http.websocketx.*;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.handler.ssl.*;
import java.io.File;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Netty with its own compression and TLS, as its examples have them (../peers.js has what peers are to do).
 *
 *     java -cp LIBRARIES Netty.java CORRUPT [CERTIFICATE KEY] [--stall US --every US --stall-from US]
 */
public final class Netty {
    private static final int MESSAGE_MAX_B = 1 << 20;
    // One event loop counts; it is the hook that reads, when all is over
    private static volatile long received;
    private static volatile long corrupted;
    private static volatile long receivedB;

    public static void main(String[] arguments) throws Exception {
        long corrupt = Long.parseLong(arguments[0]);
        boolean isSecured = arguments.length > 1 && !arguments[1].startsWith("--");
        SslContext tls = !isSecured ? null : SslContextBuilder.forServer(new File(arguments[1]), new File(arguments[2])).build();
        var stall = readStall(List.of(arguments));
        var config = WebSocketServerProtocolConfig.newBuilder().websocketPath("/").checkStartsWith(true).allowExtensions(true)
            .maxFramePayloadLength(MESSAGE_MAX_B).build();
        var server = new ServerBootstrap().group(new NioEventLoopGroup(1)).channel(NioServerSocketChannel.class).option(ChannelOption.SO_BACKLOG, 511)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    if (tls != null) channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                    channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65_536), new WebSocketServerExtensionHandler(compression()),
                        new WebSocketServerProtocolHandler(config), new WebSocketFrameAggregator(MESSAGE_MAX_B), new Echo(corrupt, stall));
                }
            }).bind("127.0.0.1", 0).sync().channel();
        Runtime.getRuntime().addShutdownHook(new Thread(Netty::tellCounts));
        long pid = ProcessHandle.current().pid();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        System.out.printf("ready {\"engine\":\"netty\",\"version\":\"peer\",\"port\":%d,\"pid\":%d,\"processes\":[{\"pid\":%d,\"role\":\"worker\",\"index\":1}]}%n", port, pid, pid);
    }

    private static Stall readStall(List<String> arguments) {
        return !arguments.contains("--stall") ? null : new Stall(microsecondsAfter("--stall", arguments), microsecondsAfter("--every", arguments), microsecondsAfter("--stall-from", arguments));
    }

    private static long microsecondsAfter(String option, List<String> arguments) {
        return Long.parseLong(arguments.get(arguments.indexOf(option) + 1).replace("us", ""));
    }

    // By CLOCK_MONOTONIC, which nanoTime reads on Linux
    private record Stall(long stallUs, long everyUs, long fromUs) {
        void sitOut() throws InterruptedException {
            long sinceUs = System.nanoTime() / 1000 - fromUs;
            if (sinceUs >= 0 && sinceUs % everyUs < stallUs) TimeUnit.MICROSECONDS.sleep(stallUs - sinceUs % everyUs);
        }
    }

    // Level and windows as by default; unlike by default it keeps no window where the client asks for none. The JDK's zlib knows no small ones
    private static PerMessageDeflateServerExtensionHandshaker compression() {
        return new PerMessageDeflateServerExtensionHandshaker(6, false, 15, true, false);
    }

    private static void tellCounts() {
        System.out.printf("{\"received\":%d,\"answered\":%d,\"corrupted\":%d,\"received_b\":%d}%n", received, received, corrupted, receivedB);
        System.out.flush();
        Runtime.getRuntime().halt(0); // or it would end with the signal's number
    }

    private static final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {
        private final long corrupt;
        private final Stall stall;

        Echo(long corrupt, Stall stall) {
            super(false);
            this.corrupt = corrupt;
            this.stall = stall;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) throws InterruptedException {
            if (stall != null) stall.sitOut();
            var payload = frame.content();
            received++;
            receivedB += payload.readableBytes();
            if (corrupt > 0 && received % corrupt == 0) {
                int last = payload.writerIndex() - 1;
                payload.setByte(last, payload.getByte(last) ^ 1);
                corrupted++;
            }
            context.write(frame);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) { context.flush(); }

        @Override // the client is gone, or breaks the protocol
        public void exceptionCaught(ChannelHandlerContext context, Throwable error) { context.close(); }
    }
}

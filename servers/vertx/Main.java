import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.ServerWebSocket;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

public final class Main {
    private static final Set<ServerWebSocket> EVERYONE = ConcurrentHashMap.newKeySet(); // for `broadcast`

    public static void main(String[] arguments) {
        Contract.<Consumer<ServerWebSocket>>serve(Contract.versionOf(Vertx.class), Map.of(
            "echo", Main::echo, "idle", socket -> { }, "broadcast", Main::broadcast,
            "pingpong", answering(Answers::answerPing), "json-ping", answering(Answers::answerJsonPing)), Main::listen);
    }

    private static void listen(InetSocketAddress address, Consumer<ServerWebSocket> behaviour) throws Exception {
        HttpServerOptions options = new HttpServerOptions()
            .setMaxWebSocketFrameSize(Contract.MESSAGE_MAX_B).setMaxWebSocketMessageSize(Contract.MESSAGE_MAX_B)
            .setPerMessageWebSocketCompressionSupported(false).setPerFrameWebSocketCompressionSupported(false);
        // By default it would create a folder for files of the class path, but there are none.
        FileSystemOptions files = new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
        Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true).setFileSystemOptions(files))
            .createHttpServer(options).webSocketHandler(behaviour::accept).listen(address.getPort(), address.getHostString())
            .toCompletionStage().toCompletableFuture().get();
    }

    private static void echo(ServerWebSocket socket) {
        socket.textMessageHandler(text -> waitIfFull(socket, socket.writeTextMessage(text)));
        socket.binaryMessageHandler(bytes -> waitIfFull(socket, socket.writeBinaryMessage(bytes)));
    }

    private static Consumer<ServerWebSocket> answering(UnaryOperator<String> answer) {
        return socket -> socket.textMessageHandler(text -> {
            String pong = answer.apply(text);
            if (pong != null) waitIfFull(socket, socket.writeTextMessage(pong));
        });
    }

    // As in Vert.x's documentation: stop reading while the write queue is full.
    private static void waitIfFull(ServerWebSocket socket, Future<Void> written) {
        if (socket.writeQueueFull()) socket.pause().drainHandler(drained -> socket.resume());
    }

    private static void broadcast(ServerWebSocket socket) {
        EVERYONE.add(socket.setWriteQueueMaxSize(Contract.UNSENT_MAX_B));
        socket.closeHandler(closed -> EVERYONE.remove(socket));
        socket.textMessageHandler(text -> EVERYONE.forEach(each -> closeIfFull(each, each.writeTextMessage(text))));
        socket.binaryMessageHandler(bytes -> EVERYONE.forEach(each -> closeIfFull(each, each.writeBinaryMessage(bytes))));
    }

    // Closes a client that does not read, once its queue reaches the limit: we cannot pause the senders.
    private static void closeIfFull(ServerWebSocket socket, Future<Void> written) {
        if (socket.writeQueueFull() && EVERYONE.remove(socket)) socket.close();
    }
}

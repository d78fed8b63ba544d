import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

public final class Main {
    // The size of node:net's reads.
    private static final int CHUNK_B = 65_536;
    // One thread per connection. Threads are reused: the CPU time of a thread that has ended would be lost.
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    private static boolean nodelay;
    private static boolean isWhole;

    public static void main(String[] arguments) {
        Contract.<Consumer<Socket>>serve(System.getProperty("java.version"), Map.of("echo", Main::echo), Main::listen);
    }

    private static void listen(InetSocketAddress address, Consumer<Socket> behaviour) throws Exception {
        nodelay = Contract.readSwitch("nodelay");
        isWhole = Contract.readOption("reading", "stream", "whole").equals("whole");
        SSLContext tls = Tls.read();
        ServerSocket server = tls == null ? new ServerSocket() : tls.getServerSocketFactory().createServerSocket();
        server.bind(address, Contract.BACKLOG);
        new Thread(() -> accept(server, behaviour), "accept").start();
    }

    private static void accept(ServerSocket server, Consumer<Socket> behaviour) {
        try {
            for (;;) {
                Socket socket = server.accept();
                THREADS.execute(() -> behaviour.accept(socket));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error); // usually out of descriptors
        }
    }

    private static void echo(Socket connection) {
        try (Socket socket = connection; InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            socket.setTcpNoDelay(nodelay);
            if (isWhole) Messages.answer(in, out);
            else answerPieces(in, out);
        } catch (IOException error) {
            // the client has gone
        }
    }

    private static void answerPieces(InputStream in, OutputStream out) throws IOException {
        byte[] chunk = new byte[CHUNK_B];
        for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) out.write(chunk, 0, length);
    }
}

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

public final class Main implements Serial.Library<Socket> {
    // Fits into the kernel's buffers. Another thread writes larger payloads: otherwise both ends could block on writing.
    private static final int WRITTEN_AT_ONCE_B = 65_536;
    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private byte[] answer = new byte[0];

    public static void main(String[] arguments) {
        Serial.drive(new Main());
    }

    @Override
    public Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(Serial.TARGET.getHost(), Serial.TARGET.getPort()));
        Socket open = Tls.CONTEXT == null ? socket : encrypt(socket);
        Serial.stop();
        open.setTcpNoDelay(Serial.NODELAY);
        return open;
    }

    private static SSLSocket encrypt(Socket socket) throws IOException {
        SSLSocket secure = (SSLSocket) Tls.CONTEXT.getSocketFactory().createSocket(socket, Serial.TARGET.getHost(), Serial.TARGET.getPort(), true);
        SSLParameters parameters = new SSLParameters(null, new String[] {Tls.VERSION});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    @Override
    public ByteBuffer echo(Socket socket, byte[] payload) throws IOException {
        if (answer.length < payload.length) answer = new byte[payload.length];
        OutputStream out = socket.getOutputStream();
        if (payload.length <= WRITTEN_AT_ONCE_B) out.write(payload);
        else writer.execute(() -> write(out, payload));
        int length = socket.getInputStream().readNBytes(answer, 0, payload.length);
        Serial.stop();
        return ByteBuffer.wrap(answer, 0, length);
    }

    private static void write(OutputStream out, byte[] payload) {
        try {
            out.write(payload);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void close(Socket socket) throws IOException {
        socket.close();
        Tls.forget();
    }
}

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Collections;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS for the Java libraries, with the JDK's implementation: one version, one trusted certificate. */
final class Tls {
    /** Null for connections without TLS. */
    static final SSLContext CONTEXT = read(System.getenv("WSCALE_CA"));
    /** The configured version, by the JDK's name. */
    static final String VERSION = "TLSv" + System.getenv("WSCALE_TLS");

    private Tls() {}

    /** Forgets all sessions, so that the JDK does not resume one: the libraries in other languages measure full handshakes. */
    static void forget() {
        if (CONTEXT == null) return;
        SSLSessionContext sessions = CONTEXT.getClientSessionContext();
        for (byte[] id : Collections.list(sessions.getIds())) {
            if (sessions.getSession(id) != null) sessions.getSession(id).invalidate();
        }
    }

    private static SSLContext read(String path) {
        if (path == null) return null;
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
            TrustManagerFactory trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusts.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusts.getTrustManagers(), null);
            return context;
        } catch (Exception error) {
            throw new IllegalStateException(path + ": " + error.getMessage(), error);
        }
    }
}

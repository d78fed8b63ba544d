import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS of a server with the option `tls` (../CONTRACT.md, TLS), with the JDK's implementation. */
final class Tls {
    private static final char[] PASSWORD = {}; // the store exists only in memory

    private Tls() {}

    /**
     * Reads the key and the certificate of the run folder.
     *
     * @return null without TLS
     */
    static SSLContext read() throws IOException, GeneralSecurityException {
        if (Contract.readOption("tls", "none", "1.2", "1.3").equals("none")) return null;
        Path folder = Path.of(System.getenv("WSCALE_RUN_DIR"), "tls");
        byte[] key = Base64.getMimeDecoder().decode(Files.readString(folder.resolve("key.pem")).replaceAll("-----.*-----", ""));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)), PASSWORD,
            new Certificate[] {readCertificate(folder.resolve("cert.pem"))});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private static Certificate readCertificate(Path path) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(path)) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }
}

import org.eclipse.jetty.util.ssl.SslContextFactory;

/** TLS for Jetty clients of any version. */
final class JettyTls {
    private JettyTls() {}

    /** Returns the configured factory, or null for connections without TLS. */
    static <F extends SslContextFactory> F configure(F factory) {
        if (Tls.CONTEXT == null) return null;
        factory.setSslContext(Tls.CONTEXT);
        factory.setIncludeProtocols(Tls.VERSION);
        return factory;
    }
}

import org.eclipse.jetty.util.ssl.SslContextFactory;

/** TLS of a client of Jetty of any version. */
final class JettyTls {
    private JettyTls() {}

    /** The factory, set up as is wanted; null where the connection is to be without. */
    static <F extends SslContextFactory> F configure(F factory) {
        if (Tls.CONTEXT == null) return null;
        factory.setSslContext(Tls.CONTEXT);
        factory.setIncludeProtocols(Tls.VERSION);
        return factory;
    }
}

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Makes Jetty listen, in any version, with or without TLS. */
final class JettyConnector {
    private JettyConnector() {}

    /**
     * Adds a connector to a server.
     *
     * @param newFactory makes that version's server factory for TLS
     * @param newConnector makes a connector from a server and the factory, null without TLS
     */
    static <F extends SslContextFactory> ServerConnector add(
            Server server, InetSocketAddress address, Supplier<F> newFactory, BiFunction<Server, F, ServerConnector> newConnector)
            throws IOException, GeneralSecurityException {
        SSLContext tls = Tls.read();
        F factory = tls == null ? null : newFactory.get();
        if (factory != null) factory.setSslContext(tls);
        ServerConnector connector = newConnector.apply(server, factory);
        connector.setHost(address.getHostString());
        connector.setPort(address.getPort());
        connector.setAcceptQueueSize(Contract.BACKLOG);
        server.addConnector(connector);
        return connector;
    }
}

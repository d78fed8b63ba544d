import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** MongoDB's protocol on a port of loopback, for drivers of 2014. Says where it is, and ends when its standard input does. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    MongoServer server = new MongoServer(new MemoryBackend());
    server.bind("127.0.0.1", 0);
    System.out.println("ready mongodb://127.0.0.1:" + server.getLocalAddress().getPort() + "/");
    while (System.in.read() >= 0) continue;
    server.shutdownNow();
    System.exit(0);
  }
}

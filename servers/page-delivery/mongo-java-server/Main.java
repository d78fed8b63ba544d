import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** Serves MongoDB's protocol on a loopback port, for drivers of 2014. Prints its address, and exits at the end of standard input. */
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

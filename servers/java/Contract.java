import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The parts of ../CONTRACT.md that all Java servers share, so that each engine's own file stays small. One process, of role `worker`.
 * Nothing here runs per message.
 */
final class Contract {
    /** The same limits for all engines (../CONTRACT.md, Configuration). */
    static final int MESSAGE_MAX_B = 100 << 20;
    static final int UNSENT_MAX_B = 16 << 20;
    /** Connections that wait to be accepted. Java's default is 50, that of other engines 100 or more. */
    static final int BACKLOG = 1024;

    private static final int STOPPED = 0;
    private static final int SETTINGS = 64;
    private static final int BEHAVIOUR = 69;
    private static final int INTERNAL = 70;
    private static final int SYSTEM = 71;

    /** A server starts in its folder, which has the engine's name. */
    private static final String NAME = Path.of("").toAbsolutePath().getFileName().toString();

    private Contract() {}

    /** An engine with behaviours of type B. */
    interface Engine<B> {
        /** Listens on an address, and returns once connections are accepted. */
        void listen(InetSocketAddress address, B behaviour) throws Exception;
    }

    /**
     * Runs a server: checks its environment, lets it listen, prints `ready`, and stops it on a signal.
     *
     * @param version of the installed engine
     * @param behaviours by name
     */
    static <B> void serve(String version, Map<String, B> behaviours, Engine<B> engine) {
        guardProcess();
        InetSocketAddress address = readAddress();
        read("WSCALE_RUN_DIR", "an existing folder", value -> Files.isDirectory(Path.of(value)));
        read("WSCALE_WORKERS", "1", "1"::equals);
        B behaviour = readBehaviour(behaviours);
        try {
            engine.listen(address, behaviour);
        } catch (Exception error) {
            throw failWith("cannot listen on " + address.getHostString() + ":" + address.getPort(), error);
        }
        printReady(version, address.getPort());
    }

    /**
     * Ends the process on uncaught errors, SIGTERM and SIGINT, as the contract says. After a signal the JVM would exit with 128 plus the
     * signal's number, so a shutdown hook halts it first. Nothing calls System.exit: the hook would turn its code into 0.
     */
    private static void guardProcess() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(STOPPED)));
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> failWith("thread " + thread.getName(), error));
    }

    /** Whether this behaviour is configured. */
    static boolean isAsked(String behaviour) {
        return behaviour.equals(System.getenv("WSCALE_BEHAVIOUR"));
    }

    /** The version in the file name of the jar with a class of the engine, such as target/lib/NAME-1.2.3.jar. */
    static String versionOf(Class<?> type) {
        String jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getFileName().toString();
        return jar.replaceFirst("^.*?-(\\d.*)\\.jar$", "$1");
    }

    /** Reads an option of engine.toml; values are those listed there. */
    static String readOption(String option, String... values) {
        return read("WSCALE_OPTION_" + option.toUpperCase(Locale.ROOT), "one of " + String.join(", ", values), List.of(values)::contains);
    }

    /** Reads an option of engine.toml with the values "on" and "off". */
    static boolean readSwitch(String option) {
        return readOption(option, "on", "off").equals("on");
    }

    private static InetSocketAddress readAddress() {
        String host = read("WSCALE_HOST", "an IP address", Contract::isAddress);
        String port = read("WSCALE_PORT", "a port from 1 to 65535", Contract::isPort);
        return new InetSocketAddress(host, Integer.parseInt(port));
    }

    private static <B> B readBehaviour(Map<String, B> behaviours) {
        String known = String.join(", ", new TreeSet<>(behaviours.keySet()));
        String name = read("WSCALE_BEHAVIOUR", "one of " + known, value -> true);
        B behaviour = behaviours.get(name);
        if (behaviour == null) throw fail(BEHAVIOUR, "behaviour \"" + name + "\" is not supported", "use one of " + known);
        return behaviour;
    }

    private static String read(String name, String wanted, Predicate<String> isRight) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) throw fail(SETTINGS, name + " is not set", "set it to " + wanted);
        if (!isRight.test(value)) throw fail(SETTINGS, name + " is \"" + value + "\"", "set it to " + wanted);
        return value;
    }

    // Checks the form first: getByName would ask DNS for anything else.
    private static boolean isAddress(String value) {
        if (!value.matches("\\d+(\\.\\d+){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*")) return false;
        try {
            InetAddress.getByName(value);
            return true;
        } catch (UnknownHostException error) {
            return false;
        }
    }

    private static boolean isPort(String value) {
        return value.matches("0*[1-9]\\d{0,4}") && Integer.parseInt(value) <= 65535;
    }

    private static void printReady(String version, int port) {
        System.out.println("ready {\"engine\":\"" + NAME + "\",\"version\":\"" + version + "\",\"port\":" + port
            + ",\"processes\":[{\"pid\":" + ProcessHandle.current().pid() + ",\"role\":\"worker\",\"index\":1}]}");
        System.out.flush();
    }

    /** Ends the process for an error: 71 if the operating system refused something, else 70. WSCALE_TRACE=1 prints its stack first. */
    private static Error failWith(String what, Throwable error) {
        if (System.getenv("WSCALE_TRACE") != null) error.printStackTrace();
        String text = what + " (" + String.valueOf(error).replaceAll("\\s*\\n\\s*", " ") + ")";
        if (isRefusal(error)) return fail(SYSTEM, text, "free it, or ask for less or another");
        return fail(INTERNAL, text, "run it again with WSCALE_TRACE=1 for the stack");
    }

    // If the kernel refuses a thread, Java throws OutOfMemoryError.
    private static boolean isRefusal(Throwable error) {
        if (error == null) return false;
        return error instanceof IOException || error instanceof OutOfMemoryError || isRefusal(error.getCause());
    }

    // Never returns. It has a return type so that callers can `throw` the result: that tells the compiler.
    private static Error fail(int code, String what, String next) {
        System.err.println("error: " + NAME + ": " + what + "; " + next);
        System.err.flush();
        Runtime.getRuntime().halt(code);
        return new AssertionError(what);
    }
}

require "json"
require "log"
require "socket"

# The parts of ../CONTRACT.md that all Crystal servers share, so that each engine's own file stays small. One process, of role `worker`.
# Nothing here runs per message, except the answers.
module Contract
  enum Exit
    Stopped     =  0
    Impossible  = 64
    Unsupported = 69
    Internal    = 70
    Refused     = 71
  end

  # A server starts in its folder, which has the engine's name.
  NAME = File.basename(Dir.current)

  # Maps a message to its answer, nil if it has none. The behaviour of `broadcast` itself is nil: each message goes to all connections.
  alias Behaviour = Proc(String | Bytes, String | Bytes | Nil)

  BEHAVIOURS = {
    "echo"      => Behaviour.new { |message| message },
    "pingpong"  => Behaviour.new { |message| answer_ping(message) },
    "idle"      => Behaviour.new { nil },
    "json-ping" => Behaviour.new { |message| answer_json_ping(message) },
    "broadcast" => nil,
  }

  # Runs a server: checks its environment, and stops it on a signal. The block gets a bound socket, the engine's behaviour, and a
  # procedure to call once connections are accepted. The block does not return.
  def self.serve(version : String, & : TCPServer, Behaviour?, Proc(Nil) -> _)
    Log.setup(:warn, Log::IOBackend.new(STDERR))
    {Signal::TERM, Signal::INT}.each &.trap { LibC._exit(Exit::Stopped.value) } # at once, which closes every connection
    host = read("WSCALE_HOST", "an IP address") { |value| Socket::IPAddress.valid?(value) }
    port = read("WSCALE_PORT", "a port from 1 to 65535") { |value| value.matches?(/\A\d{1,5}\z/) && 1 <= value.to_i <= 65_535 }.to_i
    read("WSCALE_RUN_DIR", "an existing folder") { |value| Dir.exists?(value) }
    read("WSCALE_WORKERS", "1") { |value| value == "1" }
    behaviour = read_behaviour
    socket = listen(host, port)
    yield socket, behaviour, -> { print_ready(version, port) }
  rescue error : IO::Error
    fail_with("uncaught", error, Exit::Refused)
  rescue error
    fail_with("uncaught", error, Exit::Internal)
  end

  # Sets TCP_NODELAY, off by default in Crystal. Connections inherit it from the listening socket.
  private def self.listen(host, port)
    TCPServer.new(host, port, backlog: Socket::SOMAXCONN).tap { |socket| socket.tcp_nodelay = true }
  rescue error : Socket::Error
    fail_with("cannot listen on #{host}:#{port}", error, Exit::Refused)
  end

  private def self.read_behaviour
    known = BEHAVIOURS.keys.sort.join(", ")
    name = read("WSCALE_BEHAVIOUR", "one of #{known}") { true }
    BEHAVIOURS.fetch(name) { fail_for(Exit::Unsupported, "behaviour \"#{name}\" is not supported", "use one of #{known}") }
  end

  private def self.read(variable, wanted, & : String -> Bool)
    value = ENV[variable]? || ""
    fail_for(Exit::Impossible, "#{variable} is not set", "set it to #{wanted}") if value.empty?
    fail_for(Exit::Impossible, "#{variable} is \"#{value}\"", "set it to #{wanted}") unless yield value
    value
  end

  private def self.print_ready(version, port) : Nil
    report = {engine: NAME, version: version, port: port, processes: [{pid: Process.pid, role: "worker", index: 1}]}
    STDOUT.puts "ready #{report.to_json}"
    STDOUT.flush
  end

  # Ends the process for an error. WSCALE_TRACE=1 prints its stack first.
  private def self.fail_with(what, error, code) : NoReturn
    STDERR.puts error.inspect_with_backtrace if ENV["WSCALE_TRACE"]?
    next_step = code.refused? ? "free it, or ask for less or another" : "run it again with WSCALE_TRACE=1 for the stack"
    fail_for(code, "#{what} (#{error.class}: #{error.message.to_s.split.join(' ')})", next_step)
  end

  private def self.fail_for(code, what, next_step) : NoReturn
    STDERR.puts "error: #{NAME}: #{what}; #{next_step}"
    exit code.value
  end

  @@pings = 0_u64

  # The `pingpong` for dialects without events, with a count of this process's pings, as in listing A.2 of the thesis.
  private def self.answer_ping(message)
    %({"event":"pong","data":#{@@pings += 1}}) if ping?(message, "event")
  end

  # The `json-ping`, with the time of this server's clock in whole Unix seconds.
  private def self.answer_json_ping(message)
    %({"data":"pong","timestamp":#{Time.utc.to_unix}}) if ping?(message, "data")
  end

  private def self.ping?(message, key)
    message.is_a?(String) && JSON.parse(message).as_h?.try(&.[key]?) == "ping"
  rescue JSON::ParseException
    false # not this dialect: do not answer, but do not close either
  end
end

# frozen_string_literal: true

require 'ipaddr'
require 'json'

# The parts of ../CONTRACT.md that all Ruby servers share, so that each engine's own file stays small. One process, of role `worker`.
# Nothing here runs per message, except the answers.
module Contract
  STOPPED, SETTINGS, BEHAVIOUR, INTERNAL, SYSTEM = 0, 64, 69, 70, 71

  # The same limits for all engines (../CONTRACT.md, Configuration).
  MESSAGE_MAX_B = 100 << 20
  UNSENT_MAX_B = 16 << 20

  # A server starts in its folder, which has the engine's name.
  NAME = File.basename(Dir.pwd)

  Settings = Struct.new(:host, :port, :behaviour, :ready)

  module_function

  # Runs a server: checks its environment, and stops it on a signal. The engine's version is that of the gem; behaviours are by name. The
  # block gets the settings, calls `ready` once connections are accepted, and does not return.
  def serve(gem, behaviours)
    %w[TERM INT].each { |signal| trap(signal) { exit!(STOPPED) } } # at once, which closes every connection
    host = read('WSCALE_HOST', 'an IP address') { |value| address?(value) }
    port = read('WSCALE_PORT', 'a port from 1 to 65535') { |value| value.match?(/\A\d{1,5}\z/) && value.to_i.between?(1, 65_535) }.to_i
    read('WSCALE_RUN_DIR', 'an existing folder') { |value| File.directory?(value) }
    read('WSCALE_WORKERS', '1') { |value| value == '1' }
    is_ready = false
    ready = lambda do
      is_ready = true
      print_ready(gem, port)
    end
    yield Settings.new(host, port, read_behaviour(behaviours), ready)
  rescue StandardError, NoMemoryError => e
    # Ruby's event loops raise only RuntimeError if the system refuses to listen
    fail_with("cannot listen on #{host}:#{port}", e, SYSTEM) unless is_ready
    fail_with('uncaught', e, e.is_a?(SystemCallError) || e.is_a?(NoMemoryError) ? SYSTEM : INTERNAL)
  end

  def read_behaviour(behaviours)
    known = behaviours.keys.sort.join(', ')
    name = read('WSCALE_BEHAVIOUR', "one of #{known}") { true }
    behaviours.fetch(name) { fail_for(BEHAVIOUR, "behaviour \"#{name}\" is not supported", "use one of #{known}") }
  end

  def read(variable, wanted)
    value = ENV.fetch(variable, '')
    fail_for(SETTINGS, "#{variable} is not set", "set it to #{wanted}") if value.empty?
    fail_for(SETTINGS, "#{variable} is \"#{value}\"", "set it to #{wanted}") unless yield value
    value
  end

  def address?(value)
    !value.include?('/') && IPAddr.new(value) && true
  rescue IPAddr::Error
    false
  end

  def print_ready(gem, port)
    processes = [{ pid: Process.pid, role: 'worker', index: 1 }]
    $stdout.puts "ready #{JSON.generate(engine: NAME, version: Gem::Specification.find_by_name(gem).version.to_s, port: port, processes: processes)}"
    $stdout.flush
  end

  # Ends the process for an error. WSCALE_TRACE=1 prints its stack first.
  def fail_with(what, error, code)
    warn error.full_message(highlight: false) if ENV['WSCALE_TRACE']
    text = "#{what} (#{error.class}: #{error.message.split.join(' ')})"
    fail_for(code, text, code == SYSTEM ? 'free it, or ask for less or another' : 'run it again with WSCALE_TRACE=1 for the stack')
  end

  def fail_for(code, what, next_step)
    warn "error: #{NAME}: #{what}; #{next_step}"
    exit!(code)
  end

  @pings = 0

  # The `pingpong` for dialects without events, with a count of this process's pings, as in listing A.2 of the thesis.
  def answer_ping(text)
    "{\"event\":\"pong\",\"data\":#{@pings += 1}}" if ping?(text, 'event')
  end

  # The `json-ping`, with the time of this server's clock in whole Unix seconds.
  def answer_json_ping(text)
    "{\"data\":\"pong\",\"timestamp\":#{Time.now.to_i}}" if ping?(text, 'data')
  end

  def ping?(text, key)
    message = JSON.parse(text)
    message.is_a?(Hash) && message[key] == 'ping'
  rescue JSON::ParserError
    false # not this dialect: do not answer, but do not close either
  end
end

# frozen_string_literal: true

require 'ipaddr'
require 'json'

# What ../CONTRACT.md asks of every server, for those in Ruby: of one process, of role `worker`. Each engine's own file stays tiny, and
# nothing here runs once a message, save the answers.
module Contract
  STOPPED, SETTINGS, BEHAVIOUR, INTERNAL, SYSTEM = 0, 64, 69, 70, 71

  # Limits that are equal over engines (../CONTRACT.md, Configuration).
  MESSAGE_MAX_B = 100 << 20
  UNSENT_MAX_B = 16 << 20

  # A server is started in its folder, whose name is the engine's.
  NAME = File.basename(Dir.pwd)

  Settings = Struct.new(:host, :port, :behaviour, :ready)

  module_function

  # Runs a server: checks its environment, and stops it when asked. The gem is the one whose version is the engine's; behaviours are those
  # that it has, by name. The block gets the settings, calls `ready` when connections are accepted, and does not return.
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
    # Event loops of Ruby say no more than RuntimeError where the system refuses to listen
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

  # The `pingpong` of dialects without events, with the count of this process's pings, as listing A.2 of the thesis has it.
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
    false # not this dialect: a message without an answer, not a reason to close
  end
end

# frozen_string_literal: true

require 'em-websocket'
require 'set'
require_relative '../ruby/contract'

# Closes the connection of a client that does not read: EventMachine would queue without a limit.
def limit(socket)
  socket.close_connection if socket.get_outbound_data_size > Contract::UNSENT_MAX_B
end

def send_text(socket, text)
  socket.send_text(text)
  limit(socket)
end

def send_binary(socket, bytes)
  socket.send_binary(bytes)
  limit(socket)
end

EVERYONE = Set.new # for `broadcast`

def each_of_everyone
  EVERYONE.to_a.each do |socket|
    yield socket
  rescue EventMachine::WebSocket::WebSocketError
    EVERYONE.delete(socket) # after an error of its client it is closing, and refuses more
  end
end

def tell_everyone(socket)
  socket.onopen { EVERYONE.add(socket) }
  socket.onclose { EVERYONE.delete(socket) }
  socket.onmessage { |text| each_of_everyone { |each| send_text(each, text) } }
  socket.onbinary { |bytes| each_of_everyone { |each| send_binary(each, bytes) } }
end

def answering(answer)
  lambda do |socket|
    socket.onmessage do |text|
      pong = Contract.public_send(answer, text)
      send_text(socket, pong) if pong
    end
  end
end

BEHAVIOURS = {
  'echo' => lambda do |socket|
    socket.onmessage { |text| send_text(socket, text) }
    socket.onbinary { |bytes| send_binary(socket, bytes) }
  end,
  'pingpong' => answering(:answer_ping),
  'idle' => ->(socket) {},
  'broadcast' => method(:tell_everyone),
  'json-ping' => answering(:answer_json_ping)
}.freeze

Contract.serve('em-websocket', BEHAVIOURS) do |settings|
  EventMachine::WebSocket.max_frame_size = Contract::MESSAGE_MAX_B
  EventMachine.epoll
  EventMachine.run do
    EventMachine::WebSocket.run(host: settings.host, port: settings.port) do |socket|
      # Ignore protocol errors and broken connections: the library closes these
      socket.onerror { |error| raise error unless error.is_a?(EventMachine::WebSocket::WebSocketError) }
      settings.behaviour.call(socket)
    end
    settings.ready.call
  end
end

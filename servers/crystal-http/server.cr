require "http/server"
require "../crystal/contract"

EVERYONE = Set(HTTP::WebSocket).new # for `broadcast`
TURNS    = Mutex.new                # one broadcast at a time: a blocking send switches fibers

# Ignores errors: if the client has gone, reading its next message fails.
def answer(socket, pong)
  socket.send(pong) if pong
rescue IO::Error
end

def tell_everyone(message)
  TURNS.synchronize { EVERYONE.each { |socket| answer(socket, message) } }
end

def converse(socket, behaviour : Contract::Behaviour)
  socket.on_message { |text| answer(socket, behaviour.call(text)) }
  socket.on_binary { |bytes| answer(socket, behaviour.call(bytes)) }
end

def converse(socket, behaviour : Nil)
  TURNS.synchronize { EVERYONE.add(socket) }
  socket.on_message { |text| tell_everyone(text) }
  socket.on_binary { |bytes| tell_everyone(bytes) }
  socket.on_close { TURNS.synchronize { EVERYONE.delete(socket) } }
end

Contract.serve(Crystal::VERSION) do |listener, behaviour, ready|
  server = HTTP::Server.new([HTTP::WebSocketHandler.new { |socket| converse(socket, behaviour) }])
  server.bind(listener)
  spawn { ready.call }
  server.listen
end

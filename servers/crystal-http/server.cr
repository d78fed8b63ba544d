require "http/server"
require "../crystal/contract"

# A client that has gone while it was answered is found out when the next message is read.
def answer(socket, pong)
  socket.send(pong) if pong
rescue IO::Error
end

Contract.serve(Crystal::VERSION) do |listener, behaviour, ready|
  handler = HTTP::WebSocketHandler.new do |socket|
    socket.on_message { |text| answer(socket, behaviour.call(text)) }
    socket.on_binary { |bytes| answer(socket, behaviour.call(bytes)) }
  end
  server = HTTP::Server.new([handler])
  server.bind(listener)
  spawn { ready.call }
  server.listen
end

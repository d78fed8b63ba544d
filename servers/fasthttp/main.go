package main

import (
	"net"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"wscale/contract"
)

// From a message to its answer, nil if it has none.
type behaviour func(message []byte) []byte

var behaviours = map[string]behaviour{
	"echo":      func(message []byte) []byte { return message },
	"pingpong":  contract.AnswerPing,
	"idle":      func([]byte) []byte { return nil },
	"json-ping": contract.AnswerJSONPing,
	"broadcast": nil, // each message is told to everyone
}

var everyone contract.Crowd

func main() {
	contract.Serve("github.com/fasthttp/websocket", behaviours, func(listener net.Listener, answer behaviour) error {
		upgrader := websocket.FastHTTPUpgrader{}
		return fasthttp.Serve(listener, func(request *fasthttp.RequestCtx) {
			// what fails has been answered
			_ = upgrader.Upgrade(request, func(socket *websocket.Conn) {
				defer contract.Guard()
				converse(socket, answer)
			})
		})
	})
}

func converse(socket *websocket.Conn, answer behaviour) {
	defer socket.Close()
	socket.SetReadLimit(contract.MessageMaxB)
	if answer == nil {
		defer everyone.Join(func(kind int, message []byte) { _ = socket.WriteMessage(kind, message) })()
	}
	// Pings and closes are answered by the library, while it is read.
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			return // the client is gone
		}
		if answer == nil {
			everyone.Tell(kind, message)
			continue
		}
		if pong := answer(message); pong != nil && socket.WriteMessage(kind, pong) != nil {
			return // the client is gone
		}
	}
}

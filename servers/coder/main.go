package main

import (
	"context"
	"net"
	"net/http"

	"github.com/coder/websocket"
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
	contract.Serve("github.com/coder/websocket", behaviours, func(listener net.Listener, answer behaviour) error {
		return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			defer contract.Guard()
			converse(response, request, answer)
		}))
	})
}

func converse(response http.ResponseWriter, request *http.Request, answer behaviour) {
	socket, err := websocket.Accept(response, request, nil)
	if err != nil {
		return // it has been answered
	}
	defer socket.CloseNow()
	socket.SetReadLimit(contract.MessageMaxB)
	if answer == nil {
		defer everyone.Join(func(kind int, message []byte) {
			_ = socket.Write(context.Background(), websocket.MessageType(kind), message)
		})()
	}
	// Pings and closes are answered by the library, while it is read.
	for {
		kind, message, err := socket.Read(context.Background())
		if err != nil {
			return // the client is gone
		}
		if answer == nil {
			everyone.Tell(int(kind), message)
			continue
		}
		if pong := answer(message); pong != nil && socket.Write(context.Background(), kind, pong) != nil {
			return // the client is gone
		}
	}
}

package main

import (
	"net"
	"net/http"

	"github.com/gorilla/websocket"
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
	contract.Serve("github.com/gorilla/websocket", behaviours, func(listener net.Listener, answer behaviour) error {
		return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			defer contract.Guard()
			converse(response, request, answer)
		}))
	})
}

func converse(response http.ResponseWriter, request *http.Request, answer behaviour) {
	upgrader := websocket.Upgrader{}
	socket, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return // it has been answered
	}
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

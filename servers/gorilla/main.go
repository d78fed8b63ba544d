package main

import (
	"net"
	"net/http"

	"github.com/gorilla/websocket"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[framed]

func main() {
	contract.Serve("github.com/gorilla/websocket", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			defer contract.Guard()
			converse(response, request, answer)
		}))
	})
}

func converse(response http.ResponseWriter, request *http.Request, answer contract.Behaviour) {
	upgrader := websocket.Upgrader{}
	socket, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return // Upgrade has answered the request
	}
	defer socket.Close()
	socket.SetReadLimit(contract.MessageMaxB)
	if answer == nil {
		defer everyone.Join(func(message framed) { _ = message.writeTo(socket) })()
	}
	// The library answers pings and closes while we read.
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			return // the client has gone
		}
		if answer == nil {
			everyone.Tell(frame(kind, message))
			continue
		}
		if pong := answer(message); pong != nil && socket.WriteMessage(kind, pong) != nil {
			return // the client has gone
		}
	}
}

package main

import (
	"context"
	"net"
	"net/http"

	"github.com/coder/websocket"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[contract.Message]

func main() {
	contract.Serve("github.com/coder/websocket", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			defer contract.Guard()
			converse(response, request, answer)
		}))
	})
}

func converse(response http.ResponseWriter, request *http.Request, answer contract.Behaviour) {
	socket, err := websocket.Accept(response, request, nil)
	if err != nil {
		return // Accept has answered the request
	}
	defer socket.CloseNow()
	socket.SetReadLimit(contract.MessageMaxB)
	if answer == nil {
		defer everyone.Join(func(message contract.Message) {
			_ = socket.Write(context.Background(), websocket.MessageType(message.Kind), message.Bytes)
		})()
	}
	// The library answers pings and closes while we read.
	for {
		kind, message, err := socket.Read(context.Background())
		if err != nil {
			return // the client has gone
		}
		if answer == nil {
			everyone.Tell(contract.Message{Kind: int(kind), Bytes: message})
			continue
		}
		if pong := answer(message); pong != nil && socket.Write(context.Background(), kind, pong) != nil {
			return // the client has gone
		}
	}
}

package main

import (
	"net"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[*websocket.PreparedMessage]

func main() {
	contract.Serve("github.com/fasthttp/websocket", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		upgrader := websocket.FastHTTPUpgrader{}
		return fasthttp.Serve(listener, func(request *fasthttp.RequestCtx) {
			// Upgrade answers failed requests itself
			_ = upgrader.Upgrade(request, func(socket *websocket.Conn) {
				defer contract.Guard()
				converse(socket, answer)
			})
		})
	})
}

func converse(socket *websocket.Conn, answer contract.Behaviour) {
	defer socket.Close()
	socket.SetReadLimit(contract.MessageMaxB)
	if answer == nil {
		defer everyone.Join(func(message *websocket.PreparedMessage) { _ = socket.WritePreparedMessage(message) })()
	}
	// The library answers pings and closes while we read.
	for {
		kind, message, err := socket.ReadMessage()
		if err != nil {
			return // the client has gone
		}
		if answer == nil {
			if prepared, err := websocket.NewPreparedMessage(kind, message); err == nil { // framed once for all
				everyone.Tell(prepared)
			}
			continue
		}
		if pong := answer(message); pong != nil && socket.WriteMessage(kind, pong) != nil {
			return // the client has gone
		}
	}
}

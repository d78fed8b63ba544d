package main

import (
	"net"
	"net/http"

	"github.com/lxzan/gws"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[contract.Message]

// Handles the events of a connection.
type handler struct {
	gws.BuiltinEventHandler
	answer contract.Behaviour
}

func (h handler) OnPing(socket *gws.Conn, payload []byte) { _ = socket.WritePong(payload) }

func (h handler) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	if h.answer == nil {
		everyone.Tell(contract.Message{Kind: int(message.Opcode), Bytes: message.Bytes()})
	} else if pong := h.answer(message.Bytes()); pong != nil {
		_ = socket.WriteMessage(message.Opcode, pong) // if the client has gone, the next read fails
	}
}

func main() {
	contract.Serve("github.com/lxzan/gws", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		upgrader := gws.NewUpgrader(handler{answer: answer}, &gws.ServerOption{
			ReadMaxPayloadSize: contract.MessageMaxB, WriteMaxPayloadSize: contract.MessageMaxB,
		})
		return http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			defer contract.Guard()
			socket, err := upgrader.Upgrade(response, request)
			if err != nil {
				return // Upgrade has answered the request
			}
			go func() {
				defer contract.Guard()
				if answer == nil {
					defer everyone.Join(func(message contract.Message) { _ = socket.WriteMessage(gws.Opcode(message.Kind), message.Bytes) })()
				}
				socket.ReadLoop()
			}()
		}))
	})
}

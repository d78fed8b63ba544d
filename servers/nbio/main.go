package main

import (
	"net"
	"net/http"
	"os"
	"time"

	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
	"github.com/lesismal/nbio/nbhttp/websocket"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[contract.Message]

// Room for the header of a frame.
const headB = 16

func main() {
	logging.Output = os.Stderr
	contract.Serve("github.com/lesismal/nbio", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		upgrader := websocket.NewUpgrader()
		upgrader.MessageLengthLimit = contract.MessageMaxB
		upgrader.OnMessage(func(socket *websocket.Conn, kind websocket.MessageType, message []byte) {
			if answer == nil {
				everyone.Tell(contract.Message{Kind: int(kind), Bytes: message})
			} else if pong := answer(message); pong != nil {
				_ = socket.WriteMessage(kind, pong) // if the client has gone, nbio closes the connection
			}
		})
		upgrader.OnOpen(func(socket *websocket.Conn) {
			_ = socket.SetReadDeadline(time.Time{})
			leave := func() {}
			if answer == nil {
				leave = everyone.Join(func(message contract.Message) {
					_ = socket.WriteMessage(websocket.MessageType(message.Kind), message.Bytes)
				})
			}
			socket.SetSession(leave)
		})
		upgrader.OnClose(func(socket *websocket.Conn, _ error) { socket.Session().(func())() })
		engine := nbhttp.NewEngine(nbhttp.Config{
			Network: "tcp", Addrs: []string{listener.Addr().String()},
			Listen:  func(string, string) (net.Listener, error) { return listener, nil },
			NPoller: 1, NListener: 1,
			ReadLimit: contract.MessageMaxB + headB, MaxWriteBufferSize: contract.UnsentMaxB, ReleaseWebsocketPayload: true,
			Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
				_, _ = upgrader.Upgrade(response, request, nil) // Upgrade answers failed requests itself
			}),
		})
		if err := engine.Start(); err != nil {
			return err
		}
		select {}
	})
}

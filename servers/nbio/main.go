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

// From a message to its answer, nil if it has none.
type behaviour func(message []byte) []byte

var behaviours = map[string]behaviour{
	"echo":      func(message []byte) []byte { return message },
	"pingpong":  contract.AnswerPing,
	"idle":      func([]byte) []byte { return nil },
	"json-ping": contract.AnswerJSONPing,
}

// Of a frame, beyond its payload.
const headB = 16

func main() {
	logging.Output = os.Stderr
	contract.Serve("github.com/lesismal/nbio", behaviours, func(listener net.Listener, answer behaviour) error {
		upgrader := websocket.NewUpgrader()
		upgrader.MessageLengthLimit = contract.MessageMaxB
		upgrader.OnMessage(func(socket *websocket.Conn, kind websocket.MessageType, message []byte) {
			if pong := answer(message); pong != nil {
				_ = socket.WriteMessage(kind, pong) // where the client is gone nbio closes
			}
		})
		engine := nbhttp.NewEngine(nbhttp.Config{
			Network: "tcp", Addrs: []string{listener.Addr().String()},
			Listen:  func(string, string) (net.Listener, error) { return listener, nil },
			NPoller: 1, NListener: 1,
			ReadLimit: contract.MessageMaxB + headB, MaxWriteBufferSize: contract.UnsentMaxB, ReleaseWebsocketPayload: true,
			Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
				if socket, err := upgrader.Upgrade(response, request, nil); err == nil {
					_ = socket.SetReadDeadline(time.Time{})
				}
			}),
		})
		if err := engine.Start(); err != nil {
			return err
		}
		select {}
	})
}

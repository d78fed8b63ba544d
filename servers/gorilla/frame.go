//go:build !gorilla2016

package main

import "github.com/gorilla/websocket"

// A broadcast is framed once for all, as the library recommends.
type framed struct{ prepared *websocket.PreparedMessage }

func frame(kind int, message []byte) framed {
	prepared, err := websocket.NewPreparedMessage(kind, message)
	if err != nil {
		panic(err) // impossible: we have just read a message of this kind
	}
	return framed{prepared}
}

func (f framed) writeTo(socket *websocket.Conn) error { return socket.WritePreparedMessage(f.prepared) }

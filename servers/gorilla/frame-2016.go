//go:build gorilla2016

package main

import "github.com/gorilla/websocket"

// The library of 2016 frames a broadcast for each connection.
type framed struct {
	kind    int
	message []byte
}

func frame(kind int, message []byte) framed { return framed{kind, message} }

func (f framed) writeTo(socket *websocket.Conn) error { return socket.WriteMessage(f.kind, f.message) }

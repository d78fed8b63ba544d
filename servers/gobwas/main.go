package main

import (
	"bufio"
	"bytes"
	"io"
	"net"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"wscale/contract"
)

// For `broadcast`: its Behaviour is nil.
var everyone contract.Crowd[[]byte]

func main() {
	contract.Serve("github.com/gobwas/ws", contract.Behaviours, func(listener net.Listener, answer contract.Behaviour) error {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return err
			}
			go converse(connection, answer)
		}
	})
}

func converse(connection net.Conn, answer contract.Behaviour) {
	defer contract.Guard()
	defer connection.Close()
	if _, err := ws.Upgrade(connection); err != nil {
		return // Upgrade has answered the request
	}
	if answer == nil {
		defer everyone.Join(func(frame []byte) { _, _ = connection.Write(frame) })()
	}
	answerControl := wsutil.ControlFrameHandler(connection, ws.StateServerSide)
	reader := &wsutil.Reader{
		Source: bufio.NewReader(connection), State: ws.StateServerSide, CheckUTF8: true,
		MaxFrameSize: contract.MessageMaxB, OnIntermediate: answerControl,
	}
	writer := bufio.NewWriter(connection)
	var message bytes.Buffer
	for {
		header, err := reader.NextFrame()
		if err == nil && header.OpCode.IsControl() {
			err = answerControl(header, reader)
		} else if err == nil {
			message.Reset()
			_, err = message.ReadFrom(io.LimitReader(reader, contract.MessageMaxB+1))
			if err != nil || message.Len() > contract.MessageMaxB {
				return // the client has gone, or its message is too long
			}
			if answer == nil { // compiled once; each connection sends it in one write
				everyone.Tell(ws.MustCompileFrame(ws.NewFrame(header.OpCode, true, message.Bytes())))
			} else if pong := answer(message.Bytes()); pong != nil {
				_ = wsutil.WriteServerMessage(writer, header.OpCode, pong) // writer keeps the error, and Flush returns it
				err = writer.Flush()
			}
		}
		if err != nil {
			return // the client has gone
		}
	}
}

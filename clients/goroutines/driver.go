package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// Message is one due message. Times are in us since the start of the load; 0 means that it did not happen.
type Message struct {
	DueUs, SentUs, AnsweredUs int64
	IsWrong, HasWaited        bool // HasWaited: the previous answer came after this message was due
	SentB, ReceivedB          int
}

// Session is the history of one connection.
type Session struct {
	CalledUs, OpenUs, DroppedUs int64 // OpenUs: 0 if it failed, at DroppedUs; DroppedUs: before the end of the load, -1 if an answer did not come
	Error                       string
	IsLocal                     bool // this host caused the error
	Messages                    []Message
}

// Told is the report of a load process to the recorder at its end.
type Told struct {
	CPUs     float64
	Sessions []Session
}

// Runs a load process. It drives connection k if k modulo the number of processes is index.
func drive(path string, index int) {
	config := readConfig(path)
	os.Stdout.WriteString("up\n")
	start := readGo(os.Stdin)
	warmUp(config, start)
	var numbers []int
	for k := index; k < config.Connections; k += config.Processes {
		numbers = append(numbers, k)
	}
	sessions := make([]Session, len(numbers))
	done := make(chan struct{})
	for at, connection := range numbers {
		go func(session *Session, connection int) {
			converse(config, connection, start, session)
			done <- struct{}{}
		}(&sessions[at], connection)
	}
	for range numbers {
		<-done
	}
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	if gob.NewEncoder(os.Stdout).Encode(Told{cpu, sessions}) != nil {
		os.Exit(exitInternal)
	}
}

var dialer = websocket.Dialer{HandshakeTimeout: 30 * time.Second}

// A connection that is not open at the end of the drain has failed.
func dial(config Config, start time.Time) (*websocket.Conn, error) {
	pending, cancel := context.WithDeadline(context.Background(), start.Add(time.Duration((config.endS()+config.DrainS)*1e9)))
	defer cancel()
	socket, _, err := dialer.DialContext(pending, config.URL, nil)
	return socket, err
}

// Runs one connection in its goroutine: connects when due, then pings, waits and sleeps until the load ends.
func converse(config Config, connection int, start time.Time, session *Session) {
	endUs := int64(config.endS() * 1e6)
	sinceUs := func() int64 { return time.Since(start).Microseconds() }
	sleepUntil(start, dueOf(config, connection))
	session.CalledUs = max1(sinceUs())
	socket, err := dial(config, start)
	if err != nil {
		session.DroppedUs = max1(sinceUs())
		session.fail(err)
	} else {
		defer socket.Close()
		session.OpenUs = sinceUs()
	}
	schedule := newSchedule(config, connection)
	answeredUs := int64(0)
	for dueUs := schedule.next(0); config.Behaviour != "idle" && dueUs < endUs; dueUs = schedule.next(dueUs) {
		session.Messages = append(session.Messages, Message{DueUs: dueUs})
		if session.OpenUs == 0 || session.DroppedUs != 0 || dueUs < session.OpenUs {
			continue // due but not sent
		}
		message := &session.Messages[len(session.Messages)-1]
		message.HasWaited = answeredUs > dueUs
		sleepUntil(start, dueUs)
		text := pingOf(config, connection, len(session.Messages))
		message.SentUs, message.SentB = sinceUs(), len(text)
		kind, answer, err := exchange(socket, config, text, start)
		if err != nil {
			session.drop(sinceUs(), endUs, err)
			continue
		}
		message.AnsweredUs, message.ReceivedB = sinceUs(), len(answer)
		answeredUs = message.AnsweredUs
		message.IsWrong = !isAnswer(config, kind, text, answer)
	}
	if session.OpenUs > 0 && session.DroppedUs == 0 && !stays(socket, start, endUs) {
		session.drop(sinceUs(), endUs, errors.New("the server closed the connection"))
	}
}

func exchange(socket *websocket.Conn, config Config, text []byte, start time.Time) (kind int, answer []byte, err error) {
	if err = socket.WriteMessage(kindOf(config), text); err != nil {
		return
	}
	// An answer after the end of the drain counts as missing
	_ = socket.SetReadDeadline(start.Add(time.Duration((config.endS() + config.DrainS) * 1e9)))
	return socket.ReadMessage()
}

// Reads until the load ends, to notice if the server closes the connection.
func stays(socket *websocket.Conn, start time.Time, endUs int64) bool {
	_ = socket.SetReadDeadline(start.Add(time.Duration(endUs) * time.Microsecond))
	for {
		if _, _, err := socket.ReadMessage(); err != nil {
			return os.IsTimeout(err)
		}
	}
}

func kindOf(config Config) int {
	if config.Behaviour == "echo" && config.Payload.Type == "binary" {
		return websocket.BinaryMessage
	}
	return websocket.TextMessage
}

func pingOf(config Config, connection, number int) []byte {
	if config.Behaviour == "json-ping" {
		return []byte(`{"data":"ping","timestamp":` + strconv.FormatInt(time.Now().Unix(), 10) + `}`)
	}
	text := bytes.Repeat([]byte{'x'}, config.Payload.Bytes)
	copy(text, strconv.Itoa(connection)+"."+strconv.Itoa(number)+".")
	return text
}

func isAnswer(config Config, kind int, text, answer []byte) bool {
	if config.Behaviour == "echo" {
		return kind == kindOf(config) && bytes.Equal(text, answer)
	}
	var pong struct {
		Data      string
		Timestamp int64
	}
	return kind == websocket.TextMessage && json.Unmarshal(answer, &pong) == nil && pong.Data == "pong" && pong.Timestamp > 0
}

func (s *Session) fail(err error) {
	s.Error, s.IsLocal = err.Error(), isLocal(err)
}

func (s *Session) drop(nowUs, endUs int64, err error) {
	if nowUs >= endUs {
		nowUs = endUs - 1
		if os.IsTimeout(err) {
			s.DroppedUs = -1 // still connected, but an answer is missing
			return
		}
	}
	s.DroppedUs = max1(nowUs)
	s.fail(err)
}

// Whether this host refused, not the server.
func isLocal(err error) bool {
	for _, each := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}

// Warm-up: 4 connections exchange messages in a closed loop until the load begins. Nothing is recorded.
func warmUp(config Config, start time.Time) {
	if config.WarmupS <= 0 || config.Behaviour == "idle" {
		return
	}
	for each := 0; each < 4; each++ {
		go func() {
			socket, _, err := dialer.Dial(config.URL, nil)
			for err == nil && time.Until(start) > 50*time.Millisecond {
				_, _, err = exchange(socket, config, pingOf(config, 0, 0), start)
			}
			if socket != nil {
				socket.Close()
			}
		}()
	}
	time.Sleep(time.Until(start) - 20*time.Millisecond)
}

func sleepUntil(start time.Time, us int64) {
	time.Sleep(time.Until(start.Add(time.Duration(us) * time.Microsecond)))
}

func max1(us int64) int64 {
	if us < 1 {
		return 1
	}
	return us
}

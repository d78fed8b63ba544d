package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// Message is one that fell due: times in us since the start of the load, 0 for what did not happen.
type Message struct {
	DueUs, SentUs, AnsweredUs int64
	IsWrong, HasWaited        bool // waited for the answer before it
	SentB, ReceivedB          int
}

// Session is what became of one connection.
type Session struct {
	CalledUs, OpenUs, DroppedUs int64 // dropped before the end of the load
	Error                       string
	IsLocal                     bool // the error was this host's own
	Messages                    []Message
}

// Told is what a load process tells the first one at its end.
type Told struct {
	CPUs     float64
	Sessions []Session
}

// A load process: its connections are those whose number leaves index over its processes.
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

// What a goroutine does: connect when it is due, then ping, wait, and sleep, until the load ends.
func converse(config Config, connection int, start time.Time, session *Session) {
	endUs := int64(config.endS() * 1e6)
	sinceUs := func() int64 { return time.Since(start).Microseconds() }
	sleepUntil(start, dueOf(config, connection))
	session.CalledUs = max1(sinceUs())
	socket, _, err := dialer.Dial(config.URL, nil)
	if err != nil {
		session.fail(err)
		return
	}
	defer socket.Close()
	session.OpenUs = sinceUs()
	schedule := newSchedule(config, connection)
	answeredUs := int64(0)
	for dueUs := schedule.next(0); config.Behaviour != "idle" && dueUs < endUs; dueUs = schedule.next(dueUs) {
		session.Messages = append(session.Messages, Message{DueUs: dueUs})
		if session.DroppedUs > 0 || dueUs < session.OpenUs {
			continue // due, and not sent
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
	if session.DroppedUs == 0 && !stays(socket, start, endUs) {
		session.drop(sinceUs(), endUs, errors.New("the server closed the connection"))
	}
}

func exchange(socket *websocket.Conn, config Config, text []byte, start time.Time) (kind int, answer []byte, err error) {
	if err = socket.WriteMessage(kindOf(config), text); err != nil {
		return
	}
	// What is not answered when the drain ends is missing
	_ = socket.SetReadDeadline(start.Add(time.Duration((config.endS() + config.DrainS) * 1e9)))
	return socket.ReadMessage()
}

// Until the load ends the connection is read: that is how its end is known.
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
			s.DroppedUs = -1 // it is up: an answer is missing
			return
		}
	}
	s.DroppedUs = max1(nowUs)
	s.fail(err)
}

// What this host refused, and no server.
func isLocal(err error) bool {
	for _, each := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}

// A few connections exchange messages in closed loop until the load begins; nothing of it is recorded.
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

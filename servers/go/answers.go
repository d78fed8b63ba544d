package contract

import (
	"encoding/json"
	"strconv"
	"sync/atomic"
	"time"
)

// The answers of dialects without events (../CONTRACT.md, Behaviours). The answer is nil if the message is no ping. Text that is not
// JSON is another dialect: do not answer, but do not close either.

var pings uint64

// AnswerPing is the `pingpong`, with a count of this process's pings, as in listing A.2 of the thesis.
func AnswerPing(text []byte) []byte {
	var message struct{ Event string }
	if json.Unmarshal(text, &message) != nil || message.Event != "ping" {
		return nil
	}
	return []byte(`{"event":"pong","data":` + strconv.FormatUint(atomic.AddUint64(&pings, 1), 10) + `}`)
}

// AnswerJSONPing is the `json-ping`, with the time of this server's clock in whole Unix seconds.
func AnswerJSONPing(text []byte) []byte {
	var message struct{ Data any }
	if json.Unmarshal(text, &message) != nil || message.Data != "ping" {
		return nil
	}
	return []byte(`{"data":"pong","timestamp":` + strconv.FormatInt(time.Now().Unix(), 10) + `}`)
}

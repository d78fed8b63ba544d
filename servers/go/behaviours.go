package contract

// A Behaviour maps a message to its answer, nil if it has none. That of `broadcast` is itself nil: each message goes to a Crowd.
type Behaviour func(message []byte) []byte

// Behaviours that every engine has, by name.
var Behaviours = map[string]Behaviour{
	"echo":      func(message []byte) []byte { return message },
	"pingpong":  AnswerPing,
	"idle":      func([]byte) []byte { return nil },
	"json-ping": AnswerJSONPing,
	"broadcast": nil,
}

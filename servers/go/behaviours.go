package contract

// A Behaviour is from a message to its answer, nil where it has none. That of `broadcast` is nil itself: a Crowd is told each message.
type Behaviour func(message []byte) []byte

// Behaviours are those that every engine has.
var Behaviours = map[string]Behaviour{
	"echo":      func(message []byte) []byte { return message },
	"pingpong":  AnswerPing,
	"idle":      func([]byte) []byte { return nil },
	"json-ping": AnswerJSONPing,
	"broadcast": nil,
}

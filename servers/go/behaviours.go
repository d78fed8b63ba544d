package contract

// A Behaviour is from a message to its answer, nil where it has none. That of `broadcast` is nil itself: a Crowd is told each message.
type Behaviour func(message []byte) []byte

// Answers are the behaviours that answer who sent a message, Behaviours these and `broadcast`: what most engines have.
var (
	Answers = map[string]Behaviour{
		"echo":      func(message []byte) []byte { return message },
		"pingpong":  AnswerPing,
		"idle":      func([]byte) []byte { return nil },
		"json-ping": AnswerJSONPing,
	}
	Behaviours = with(Answers, "broadcast", nil)
)

func with(behaviours map[string]Behaviour, name string, added Behaviour) map[string]Behaviour {
	more := map[string]Behaviour{name: added}
	for each, behaviour := range behaviours {
		more[each] = behaviour
	}
	return more
}

package contract

import "sync"

// Crowd is who is connected, for the `broadcast`. Each is told one message at a time, whoever tells it, and all in the same order. What a
// message is, is the engine's: where it has one, a frame that is made once for all.
type Crowd[Told any] struct {
	mutex   sync.Mutex
	members map[*func(Told)]struct{}
}

// Message, text or binary, is what a connection is told where its library frames it for each.
type Message struct {
	Kind  int
	Bytes []byte
}

// Join takes how a connection is told a message, and returns how it leaves. What can't be told is for the connection's own reader to find
// out.
func (c *Crowd[Told]) Join(tell func(Told)) (leave func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.members == nil {
		c.members = map[*func(Told)]struct{}{}
	}
	member := &tell
	c.members[member] = struct{}{}
	return func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		delete(c.members, member)
	}
}

// Tell everyone a message.
func (c *Crowd[Told]) Tell(message Told) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for tell := range c.members {
		(*tell)(message)
	}
}

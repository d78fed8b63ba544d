package contract

import "sync"

// Crowd is the set of connections, for the `broadcast`. Each gets one message at a time, and all get them in the same order. The engine
// chooses the type of a message; if it can, a frame that is made once for all.
type Crowd[Told any] struct {
	mutex   sync.Mutex
	members map[*func(Told)]struct{}
}

// Message, text or binary, is for libraries that frame a message for each connection.
type Message struct {
	Kind  int
	Bytes []byte
}

// Join adds a connection by its function to send, and returns a function to leave. tell ignores errors: the connection's reader
// notices a broken connection.
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

// Tell sends a message to all connections.
func (c *Crowd[Told]) Tell(message Told) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for tell := range c.members {
		(*tell)(message)
	}
}

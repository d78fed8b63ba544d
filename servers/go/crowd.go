package contract

import "sync"

// Crowd is who is connected, for the `broadcast`. Each is told one message at a time, whoever tells it, and all in the same order.
type Crowd struct {
	mutex   sync.Mutex
	members map[*func(kind int, message []byte)]struct{}
}

// Join takes how a connection is told a message of its kind, text or binary, and returns how it leaves. What can't be told is for the
// connection's own reader to find out.
func (c *Crowd) Join(tell func(kind int, message []byte)) (leave func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.members == nil {
		c.members = map[*func(int, []byte)]struct{}{}
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
func (c *Crowd) Tell(kind int, message []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for tell := range c.members {
		(*tell)(kind, message)
	}
}

package httpapi

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
)

// calls are the requests at work, so that a client can cancel one by a request
// of its own. Only clients with a session can be told apart; the others cancel
// by closing their connection.
type calls struct {
	mu      sync.Mutex
	running map[callKey]context.CancelFunc
}

type callKey struct{ session, id string }

func key(session string, id json.RawMessage) callKey {
	return callKey{session, strings.TrimSpace(string(id))}
}

// add notes a request. The function that it returns takes the note back.
func (c *calls) add(session string, id json.RawMessage, cancel context.CancelFunc) (remove func()) {
	if session == "" {
		return func() {}
	}
	k := key(session, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[callKey]context.CancelFunc{}
	}
	c.running[k] = cancel
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, k)
	}
}

// cancel ends one request of a session, if it still runs.
func (c *calls) cancel(session string, id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end, ok := c.running[key(session, id)]; ok {
		end()
	}
}

// cancelSession ends all requests of a session.
func (c *calls) cancelSession(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, end := range c.running {
		if k.session == session {
			end()
		}
	}
}

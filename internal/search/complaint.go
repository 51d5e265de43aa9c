package search

import "log/slog"

// A complaint about something that is tried again and again is made once, until it
// is over: a database may be down for days.
type complaint struct{ made bool }

func (c *complaint) make(log *slog.Logger, what string, args ...any) {
	if !c.made {
		log.Warn(what, args...)
	}
	c.made = true
}

func (c *complaint) over() { c.made = false }

package ros

import (
	"bytes"
	"fmt"

	"tapedeck/decode"
)

// mayBeEmpty reports whether no text at all can be the whole definition of a
// type. Recordings have no text for types without fields as well as for types
// whose definition was not found, so that the name has to
// tell. In ROS 1 the definition is always there.
func (d *dialect) mayBeEmpty(name string) bool {
	switch shortName(name) {
	case "Empty", "Empty_Request", "Empty_Response":
		return true
	}
	return d.alwaysDefined
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// emptyPlan refuses messages that hold more than a type without fields can.
type emptyPlan struct {
	decode.Plan
	name  string
	limit int
}

// Decode implements decode.Plan.
func (p emptyPlan) Decode(msg []byte, b *decode.Batch) error {
	if len(msg) > p.limit {
		return fmt.Errorf("%w: the recording holds no definition of %s, and its message has %d bytes", decode.ErrSchema, p.name, len(msg))
	}
	return p.Plan.Decode(msg, b)
}

// Fork implements decode.Plan.
func (p emptyPlan) Fork() decode.Plan { return emptyPlan{p.Plan.Fork(), p.name, p.limit} }

package cdr

// reading is how what is written in more than one way is read. The zero
// reading is the first choice.
type reading struct {
	flags bool // a flag in front of an optional member in XCDR1 too, as in XCDR2
	wide  wide
}

// unclear says what of a type is written in more than one way.
type unclear struct{ optionals, wide bool }

// readings are the readings after the first that can differ from it.
func (u unclear) readings() []reading {
	var all []reading
	if u.optionals {
		all = append(all, reading{flags: true})
	}
	if u.wide {
		all = append(all, reading{wide: wideDouble}, reading{wide: wideOctets})
	}
	if u.optionals && u.wide {
		all = append(all, reading{true, wideDouble}, reading{true, wideOctets})
	}
	return all
}

// maxPadding is how many bytes a writer may add to fill the last unit of four.
const maxPadding = 3

// reread reads a message again for which the first reading gave err or left
// bytes over. Another reading counts only if it fits the message to its end, so
// that a message is never taken for something that it is not by halves.
func (p *plan) reread(msg []byte, err error) error {
	others := p.unclear.readings()
	if len(others) == 0 || p.format == ROS1 {
		return err
	}
	for _, r := range others {
		p.batch.DropRow()
		if p.message(msg, r) == nil && p.left() <= maxPadding {
			return nil
		}
	}
	p.batch.DropRow()
	return p.message(msg, reading{})
}

package cdr

// reading is how what is written in more than one way is read. The zero
// reading is the first choice.
type reading struct {
	flags    bool // a flag in front of an optional member in XCDR1 too, as in XCDR2
	contrary bool // types that don't say are appendable where the first choice has them final, or the other way round
	wide     wide
}

// unclear says what of a type is written in more than one way.
type unclear struct{ optionals, unsaid, wide bool }

// readings are the readings after the first that can differ from it.
func (u unclear) readings(v2 bool) []reading {
	all := []reading{{}}
	if u.optionals && !v2 {
		all = append(all, reading{flags: true})
	}
	if u.unsaid && v2 {
		all = append(all, reading{contrary: true})
	}
	for _, r := range all {
		if u.wide {
			r.wide = wideDouble
			all = append(all, r)
			r.wide = wideOctets
			all = append(all, r)
		}
	}
	return all[1:]
}

// maxPadding is how many bytes a writer may add to fill the last unit of four.
const maxPadding = 3

// fits reports whether a message was read to its end without doubt.
func (p *plan) fits() bool { return p.left() <= maxPadding && !p.doubtful }

// reread reads a message again for which the first reading gave err or did not
// fit. Another reading counts only if it does, so that a message is never taken
// for something that it is not by halves.
func (p *plan) reread(msg []byte, err error) error {
	others := p.unclear.readings(p.v2)
	if len(others) == 0 || p.format == ROS1 {
		return err
	}
	for _, r := range others {
		p.batch.DropRow()
		if p.message(msg, r) == nil && p.fits() {
			return nil
		}
	}
	p.batch.DropRow()
	return p.message(msg, reading{})
}

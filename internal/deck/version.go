package deck

// upgrade is how the program is brought up to date: from its sources, until
// releases exist.
const upgrade = "git pull && make install"

// Version tells the program's version and what it decodes.
func (d *Deck) Version() Version {
	v := Version{Version: d.opt.Version, Upgrade: upgrade}
	for _, decoder := range d.decoders {
		v.Decoders = append(v.Decoders, decoder.Name())
	}
	return v
}

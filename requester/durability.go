package requester

import "slices"

// A Durability is what an acknowledged message survives, if one thing fails and everything
// else goes on. Each level includes those before it. "" is not known.
type Durability string

// The levels, the weakest first.
const (
	None     Durability = "none"     // nothing is promised
	Accepted Durability = "accepted" // the end of the client: the broker has the message in its memory
	Process  Durability = "process"  // the broker's process is killed: the operating system has the message in its page cache
	Machine  Durability = "machine"  // the broker's machine loses power: the message was on the disk, with fsync, before the acknowledgement
	Node     Durability = "node"     // one of three nodes is lost for good, with its disk
)

// Durabilities returns all levels, the weakest first.
func Durabilities() []Durability { return []Durability{None, Accepted, Process, Machine, Node} }

// Valid reports whether d is a level.
func (d Durability) Valid() bool { return slices.Contains(Durabilities(), d) }

// AtLeast reports whether d includes the level other. A value that is not a level includes
// nothing and is included in everything.
func (d Durability) AtLeast(other Durability) bool {
	all := Durabilities()
	return slices.Index(all, d) >= slices.Index(all, other)
}

// Meaning describes the failures that an acknowledged message of the level survives; "" for a
// value that is not a level.
func (d Durability) Meaning() string {
	switch d {
	case None:
		return "nothing is promised"
	case Accepted:
		return "an acknowledged message survives the end of its client"
	case Process:
		return "an acknowledged message survives kill -9 of the broker"
	case Machine:
		return "an acknowledged message survives a power failure of the broker's machine"
	case Node:
		return "an acknowledged message survives the loss of one of three nodes, with its disk"
	}
	return ""
}

// A Backing is the durability of a measurement, and how that is known. It is part
// of a [Description].
type Backing struct {
	// Level is what the target's options and the system's own configuration back together.
	Level Durability `json:"level"`
	// Asked is what the target asks for; "" if it leaves that to its options.
	Asked Durability `json:"asked,omitempty"`
	// Limit is what of the system's configuration keeps Level below what the options would
	// allow, such as "appendonly is no"; "" if nothing does.
	Limit string `json:"limit,omitempty"`
	// NotVerified is what Level takes for granted, because the system could not be asked.
	NotVerified []string `json:"not_verified,omitempty"`
	// Withdrawn is the level that the system backed before the window and does not back after it;
	// "" if there is none. Level and Limit then hold the later answer.
	Withdrawn Durability `json:"withdrawn,omitempty"`
}

// String returns the level that counts, and whether it is verified.
func (b Backing) String() string {
	if len(b.NotVerified) > 0 {
		return string(b.Promised()) + ", not verified"
	}
	return string(b.Promised())
}

// After returns the durability of a measurement whose system was asked again after the window. later
// is the answer; nil if there is none, and why says the reason.
func (b Backing) After(later *Backing, why string) *Backing {
	switch {
	case later == nil:
		b.NotVerified = append(slices.Clone(b.NotVerified), "the broker could not be asked again after the window: "+why)
	case !later.Promised().AtLeast(b.Promised()):
		b.Withdrawn = b.Promised()
		b.Level, b.Limit, b.NotVerified = later.Level, later.Limit, later.NotVerified
	case len(b.NotVerified) == 0:
		b.NotVerified = later.NotVerified
	}
	return &b
}

// Promised returns the level that counts: the one asked for, or Level if that is less or
// no level was asked for.
func (b Backing) Promised() Durability {
	if b.Asked != "" && b.Level.AtLeast(b.Asked) {
		return b.Asked
	}
	return b.Level
}

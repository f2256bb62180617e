package target

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
)

// A Level is how one broker keeps one level of durability.
type Level struct {
	Durability requester.Durability
	Options    string // what the level sets, as the query of a URL: "stream=file"; what the URL sets itself goes before
	Server     string // what the broker's own configuration must be; "" if it does not matter
	Asked      string // how the broker is asked for that; "" if it is not
	Note       string // what else there is to know, one line; may be ""
}

// Durable are the options that are about durability. A broker that has levels embeds it in
// its options.
type Durable struct {
	levels []Level
	level  string
	check  bool
}

// durabilityOption is the name of the option that takes a level.
const durabilityOption = "durability"

// noLevel is the value of the option durability of a target that leaves it to the others.
const noLevel = "as-set"

// Define adds the options. levels has every level, the weakest first.
func (d *Durable) Define(o Options, levels []Level) {
	d.levels = levels
	words := []string{noLevel}
	for _, level := range levels {
		words = append(words, string(level.Durability))
	}
	o.Choice(&d.level, durabilityOption, noLevel, words, "failures that an acknowledged message survives, see `brokerbench durability`: sets the options that the level needs, and asks the broker whether it backs the level; as-set: leave it to the other options")
	o.BoolVar(&d.check, "durability-check", true, "measure nothing if the broker does not back the durability asked for; false: measure anyway, with a warning")
}

// Asked returns the level that the target asks for; "" if it asks for none.
func (d *Durable) Asked() requester.Durability {
	if d.level == noLevel {
		return ""
	}
	return requester.Durability(d.level)
}

// Checked tells whether nothing is to be measured if the broker does not back the level.
func (d *Durable) Checked() bool { return d.check }

// apply sets what the level needs and the URL does not set itself.
func (d *Durable) apply(o Options, given url.Values) error {
	needs, err := d.needs()
	for name, values := range needs {
		if err == nil && !given.Has(name) {
			err = o.Set(name, values[0])
		}
	}
	return err
}

// needs returns the options of the level that the target asks for.
func (d *Durable) needs() (url.Values, error) {
	for _, level := range d.levels {
		if level.Durability == d.Asked() {
			return url.ParseQuery(level.Options)
		}
	}
	return nil, nil
}

// Check refuses options that do not back the level that the target asks for. backs is the
// most that the options allow.
func (d *Durable) Check(backs requester.Durability) error {
	needs, _ := d.needs()
	switch {
	case d.Asked() == requester.None && backs != requester.None && len(needs) > 0: // it would be compared with what acknowledges nothing
		return fmt.Errorf("option durability=none: the other options have messages acknowledged, at %s; none needs %s", backs, strings.Join(pairs(needs), ", "))
	case d.Asked() == "" || backs.AtLeast(d.Asked()):
		return nil
	}
	return fmt.Errorf("option durability=%s: the other options back %s at most; it needs %s", d.Asked(), backs, strings.Join(pairs(needs), ", "))
}

// pairs returns options as name=value, sorted.
func pairs(options url.Values) (list []string) {
	for name, values := range options {
		list = append(list, name+"="+values[0])
	}
	slices.Sort(list)
	return list
}

// A Limit is what the broker's own configuration says about durability.
type Limit struct {
	Level   requester.Durability // the most that it backs
	Because string               // such as "appendonly is no"
	Remedy  string               // the setting that would back more: "CONFIG SET appendonly yes"
	// Unknown says that the broker could not be asked, such as "sync_interval is not known":
	// it may back more.
	Unknown bool
}

// Back returns what options and broker back together. The error says that it is less than
// the target asks for, and what would change that. backs is the most that the options allow.
func (d *Durable) Back(backs requester.Durability, limits ...Limit) (*requester.Backing, error) {
	b := &requester.Backing{Level: backs, Asked: d.Asked()}
	lacks := slices.DeleteFunc(slices.Clone(limits), func(l Limit) bool { return l.Unknown || l.Level.AtLeast(b.Asked) })
	for _, limit := range limits {
		switch {
		case limit.Level.AtLeast(b.Level):
		case limit.Unknown && b.Asked != "" && !limit.Level.AtLeast(b.Asked):
			b.NotVerified = append(b.NotVerified, limit.Because)
		default:
			b.Level, b.Limit = limit.Level, limit.Because
		}
	}
	switch {
	case b.Asked != "" && !b.Level.AtLeast(b.Asked) && d.check:
		return b, &unbackedError{b.Asked, b.Level, lacks}
	case len(b.NotVerified) > 0 && b.Level.AtLeast(b.Asked):
		b.Level = b.Asked // levels beyond it are unknown
	}
	return b, nil
}

// An unbackedError says that the broker does not back what was asked for, and why.
type unbackedError struct {
	asked, backs requester.Durability
	lacks        []Limit
}

func (e *unbackedError) Error() string {
	which := "which backs"
	if len(e.lacks) > 1 {
		which = "which back"
	}
	return fmt.Sprintf("the broker does not back durability=%s: %s, %s %s at most", e.asked, e.Refused(), which, e.backs)
}

// Refused names every setting that the level lacks.
func (e *unbackedError) Refused() string {
	return e.join(" and ", func(l Limit) string { return l.Because })
}

func (e *unbackedError) remedy() string {
	const anyway = "measure anyway with durability-check=false"
	if remedies := e.join(" and ", func(l Limit) string { return l.Remedy }); remedies != "" {
		return remedies + ", or " + anyway
	}
	return anyway
}

// join joins a text of each limit, without those that are empty or there already.
func (e *unbackedError) join(separator string, of func(Limit) string) string {
	var texts []string
	for _, l := range e.lacks {
		if text := of(l); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

package compare

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Difference is a setting or a fact that differs between the sides.
type Difference struct {
	Where string `json:"where"` // "environment", or the target
	Name  string `json:"name"`
	Base  string `json:"base"` // "-": there is none
	New   string `json:"new"`
}

// String returns it as "where: name base against new".
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s %s against %s", d.Where, d.Name, d.Base, d.New)
}

// A RefusedError says that two sides cannot be compared fairly.
type RefusedError struct {
	Unequal     []Difference // why
	Differences []Difference // what else differs
}

// Error names everything that differs, a line each.
func (e *RefusedError) Error() string {
	lines := []string{"BASE and NEW differ in what decides latency (--unequal compares them anyway):"}
	for _, d := range e.Unequal {
		lines = append(lines, "  "+d.String())
	}
	if len(e.Differences) > 0 {
		lines = append(lines, "these differ too:")
	}
	for _, d := range e.Differences {
		lines = append(lines, "  "+d.String())
	}
	return strings.Join(lines, "\n")
}

// durability returns the settings that decide whether a message survives a failure,
// with the values that keep it in memory only. A broker without such a setting
// counts as having that value.
func durability() []results.Setting {
	return []results.Setting{
		{Name: "acks", Value: "0"}, // Kafka
		{Name: "replication-factor", Value: "1"},
		{Name: "min-insync-replicas", Value: "0"},
		{Name: "flush-messages", Value: "0"},
		{Name: "transactions", Value: "none"},
		{Name: "confirm", Value: "false"}, // RabbitMQ
		{Name: "durable", Value: "false"},
		{Name: "persistent", Value: "false"},
		{Name: "queue-type", Value: "classic"},
		{Name: auditQueue, Value: "false"},
		{Name: "qos", Value: "0"}, // MQTT
		{Name: auditSession, Value: "false"},
		{Name: "stream", Value: "none"}, // NATS
		{Name: "replicas", Value: "1"},
	}
}

// auditQueue is a setting that promises nothing more, and is twice the work.
const auditQueue = "audit-queue"

// auditSession is the same of MQTT.
const auditSession = "audit-session"

// promised returns the level of durability that counts; "" if it is not known.
func promised(b results.Broker) string {
	if b.Durability == nil {
		return ""
	}
	return string(b.Durability.Promised())
}

// decisive returns the settings in which two brokers must agree. Different products that say
// which level of durability they keep must agree in that, and not in the settings by which
// each keeps it.
func decisive(base, next results.Broker) []results.Setting {
	all := durability()
	if base.Product == next.Product || promised(base) == "" || promised(next) == "" {
		return all
	}
	return slices.DeleteFunc(all, func(s results.Setting) bool { return s.Name != auditQueue && s.Name != auditSession })
}

// unequal lists the differences that forbid a comparison, each once.
func unequal(couples []couple) (list differenceList) {
	for _, c := range couples {
		list.within(c.base)
		list.within(c.next)
		list.kept(c.label(), c.base.broker(), c.next.broker())
		list.add(c.label(), "faults", broken(c.base.settings().Faults), broken(c.next.settings().Faults))
		list.add(c.label(), "echo", cmp.Or(string(c.base.settings().Echo), "off"), cmp.Or(string(c.next.settings().Echo), "off"))
		list.addAll(c.label(), dimensions(c.base.shape), dimensions(c.next.shape))
	}
	return list
}

// within appends in what the repeats of a cell differ: a broker may have been started again
// meanwhile, with another configuration.
func (l *differenceList) within(g group) {
	first := g.trials[0]
	for _, t := range g.trials[1:] {
		where := first.Cell.ID + " → " + t.Cell.ID
		if first.Dir != t.Dir {
			where = filepath.Join(first.Dir, first.Cell.ID) + " → " + filepath.Join(t.Dir, t.Cell.ID)
		}
		l.kept(where, first.Cell.Broker, t.Cell.Broker)
	}
}

// kept appends the differences in what two brokers keep.
func (l *differenceList) kept(where string, base, next results.Broker) {
	if level, other := promised(base), promised(next); level != "" && other != "" {
		l.add(where, "durability", level, other)
	}
	for _, d := range decisive(base, next) {
		l.add(where, d.Name, setting(base.Settings, d.Name, d.Value), setting(next.Settings, d.Name, d.Value))
	}
}

// dimensions returns a shape by name.
func dimensions(s plan.Shape) []results.Setting {
	inFlight := "open"
	if s.InFlight > 0 {
		inFlight = fmt.Sprint(s.InFlight)
	}
	return []results.Setting{
		{Name: "rate", Value: s.Rate.String()},
		{Name: "size", Value: fmt.Sprintf("%d B", s.Size)},
		{Name: "connections", Value: fmt.Sprint(s.Connections)},
		{Name: "in-flight", Value: inFlight},
		{Name: "arrivals", Value: string(s.Arrivals)},
	}
}

// label names the target of a couple, or both.
func (c couple) label() string {
	if c.base.target == c.next.target {
		return c.base.target
	}
	return c.base.target + " → " + c.next.target
}

// broker returns the broker of the first repeat. What decides is the same in all: see
// differenceList.within.
func (g group) broker() results.Broker { return g.trials[0].Cell.Broker }

// settings returns those of the plan, which are the same in all repeats.
func (g group) settings() plan.Settings { return g.trials[0].Cell.Plan.Settings }

// setting returns the value of a setting, or another if there is none.
func setting(settings []results.Setting, name, otherwise string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return otherwise
}

package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// A Topology says who consumes the messages. With the zero value each connection consumes what it
// sends. Otherwise all connections are producers, connection i sends to topic i modulo Topics, each
// group gets every message, and its members share them.
type Topology struct {
	Topics  int `json:"topics"`
	Groups  int `json:"groups"`
	Members int `json:"members"` // of each group
}

// maxGroups is the most groups that a run may have (requester.MaxGroups).
const maxGroups = 64

// maxConsumers bounds the members of all groups.
const maxConsumers = 10_000

// Own reports whether each connection consumes what it sends.
func (t Topology) Own() bool { return t == Topology{} }

// Complete returns the topology with one topic, group and member where the number is left out, unless
// all are.
func (t Topology) Complete() Topology {
	if t.Own() {
		return t
	}
	return Topology{max(t.Topics, 1), max(t.Groups, 1), max(t.Members, 1)}
}

// Consumers returns how many consumers there are besides the connections.
func (t Topology) Consumers() int { return t.Groups * t.Members }

// Text returns the topology for people, such as "1 topic, 3 groups of 2"; "" if each connection
// consumes what it sends.
func (t Topology) Text() string {
	if t.Own() {
		return ""
	}
	return fmt.Sprintf("%s, %s of %d", words.Plural(t.Topics, "topic"), words.Plural(t.Groups, "group"), t.Members)
}

// Short is Text in short, such as "t1 g3 m2".
func (t Topology) Short() string {
	if t.Own() {
		return ""
	}
	return fmt.Sprintf("t%d g%d m%d", t.Topics, t.Groups, t.Members)
}

// A Backlog is what the consumers of group 0 find when they return: so many messages, or messages of so many bytes.
// The zero value is none.
type Backlog struct {
	Messages int64 `json:"messages,omitempty"`
	Bytes    int64 `json:"bytes,omitempty"`
}

// MostBacklog bounds a backlog: a bit for each message and group is kept in memory.
const MostBacklog = 1 << 30

// MostFill is how long a store is filled with a backlog at most, of the ten minutes that a group is kept.
const MostFill = 8 * time.Minute

// Beyond says, for people, how long a cell may take beyond its share of [Plan.Took].
func (p Plan) Beyond() string {
	late, filling := p.Settings.Timeout, ""
	for _, s := range p.Shapes {
		if s.UntilStore > 0 {
			filling = fmt.Sprintf("; filling the store takes up to %v more", MostFill)
		}
		if s.Backlog != (Backlog{}) {
			late = max(late, p.Settings.For(s).Timeout)
			filling = fmt.Sprintf("; filling the store with a backlog takes up to %v more, and waiting for the rest of it after that up to %v", MostFill, late)
		}
	}
	return fmt.Sprintf("%v more for each cell whose replies are late%s", late, filling)
}

// Of returns how many messages of so many bytes the backlog has.
func (b Backlog) Of(size int) int64 {
	one := int64(max(size, 1))
	return max(b.Messages, b.Bytes/one+min(b.Bytes%one, 1))
}

// Text returns the backlog for people, such as "backlog of 1,000,000"; "" if there is none.
func (b Backlog) Text() string {
	switch {
	case b.Bytes > 0:
		return "backlog of " + words.Size(int(b.Bytes))
	case b.Messages > 0:
		return "backlog of " + words.Count(b.Messages)
	}
	return ""
}

// maxBacklogWarmup bounds the warm-up, in which the consumers of group 0 are away, after a fill of at most eight minutes.
const maxBacklogWarmup = time.Minute

// checkBacklog returns why a backlog does not go with the rest of a shape, or with the settings.
func (p Plan) checkBacklog(s Shape) error {
	if s.Backlog == (Backlog{}) {
		return errors.Join(p.checkUntilStore(s), wrong(p.Settings.Cold && s.UntilStore == 0, "cold=on drops the page cache before a backlog is read, or once the store is filled: name a backlog, such as --backlog 1M, or --until-store 4GiB"))
	}
	if s.UntilStore > 0 {
		return errors.New("a backlog and until-store cannot be combined: both fill the store")
	}
	n, most := s.Backlog.Of(s.Size), int64(MostBacklog/(max(s.Topology.Groups, 0)+1))
	return errors.Join(
		wrong(len(p.Settings.Faults) > 0, "a backlog and faults cannot be combined yet: the members of group 0 are away until the window begins"),
		wrong(s.Topology.Own(), "a backlog needs groups of consumers, the first of them lags: add --groups 2"),
		wrong(s.Files.Count > 0, "a backlog and payload %s cannot be combined yet: messages have one size", s.Payload),
		wrong(p.Settings.Warmup > maxBacklogWarmup, "a backlog and a warm-up of %v: %v at most, brokers forget consumers that are away for long", p.Settings.Warmup, maxBacklogWarmup),
		wrong(s.InFlight > 0, "a backlog and a limit in flight cannot be combined: messages that the lagging group does not have yet would hold up the producers"),
		wrong(s.Sizes != "", "a backlog and several sizes cannot be combined yet: messages have one size"),
		wrong(s.Sizes == "" && n > most, "a backlog of %s messages does not fit into the ledgers of %s in memory: %s at most", words.Count(n), words.Plural(s.Topology.Groups, "group"), words.Count(most)),
	)
}

// leastStore bounds the bytes of a store: fewer are a mistake in the unit.
const leastStore = 1 << 20

// checkUntilStore returns why a store that is filled does not go with the rest of a shape, or with the settings.
func (p Plan) checkUntilStore(s Shape) error {
	until := s.UntilStore
	if until == 0 {
		return nil
	}
	return errors.Join(
		wrong(until < leastStore, "until-store %s is below 1MiB: name bytes with their unit, such as 4GiB", words.Size(int(until))),
		wrong(p.Settings.Echo != "", "until-store and an echo cannot be combined: the echo would send back the messages that fill the store"),
		wrong(s.Files.Count > 0, "until-store and payload %s cannot be combined yet: messages have one size", s.Payload),
		wrong(s.Sizes != "", "until-store and several sizes cannot be combined yet: messages have one size"),
		wrong(s.Sizes == "" && until/int64(max(s.Size, 1)) > MostBacklog, "until-store %s has more than %s messages of %s, which do not fit into ledgers in memory: name a smaller one, or larger messages",
			words.Size(int(until)), words.Count(MostBacklog), words.Size(s.Size)),
	)
}

// StoreText returns what is stored before the schedule for people: the backlog, or "store of 4096MiB"; "" if nothing is.
func (s Shape) StoreText() string {
	if s.UntilStore > 0 {
		return "store of " + words.Size(int(s.UntilStore))
	}
	return s.Backlog.Text()
}

// Clients returns the connections of a shape for people: "25 connections", or "10 producers".
func (s Shape) Clients() string {
	if s.Topology.Own() {
		return words.Plural(s.Connections, "connection")
	}
	return words.Plural(s.Connections, "producer")
}

// validate returns every mistake that does not depend on the connections.
func (t Topology) validate() error {
	return errors.Join(
		wrong(min(t.Topics, t.Groups, t.Members) < 0, "topics, groups and members are not negative"),
		wrong(t.Groups > maxGroups, "%d groups are more than %d", t.Groups, maxGroups),
		wrong(t.Consumers() > maxConsumers, "%d consumers are more than %d", t.Consumers(), maxConsumers),
	)
}

// checkTopology returns why a shape's topology does not go with its connections, or with the settings.
func (p Plan) checkTopology(s Shape) error {
	if s.Topology.Own() {
		if i := slices.IndexFunc(p.Settings.Faults, Fault.OfMember); i >= 0 {
			return fmt.Errorf("%v: there are no groups of consumers: add groups and members", p.Settings.Faults[i])
		}
		return nil
	}
	return errors.Join(
		wrong(s.Topology.Topics > s.Connections, "%d topics with %s: a producer sends to one topic, so that some topics would get nothing", s.Topology.Topics, s.Clients()),
		wrong(p.Settings.Echo != "", "groups of consumers and an echo cannot be combined: the echo would be one more group"),
		wrong(s.Changes != "", "groups of consumers and a rate that changes cannot be combined yet: first and each are not known by section"),
		s.Topology.checkFaults(p.Settings.Faults),
	)
}

// checkFaults returns why the faults, in the order of their times, cannot happen to the groups. A member
// whose first fault is that it joins is not there before.
func (t Topology) checkFaults(faults []Fault) error {
	last, late := make(map[[2]int]Fault), make(map[int]int) // last: by group and number; late: by group, how many are not there at first
	for _, f := range faults {
		if f.Do == ConsumerPause {
			return fmt.Errorf("groups of consumers and %v cannot be combined yet: a group or a member may join, leave or be killed, such as node: g0 or g0m1", f)
		}
		if !f.OfMember() {
			continue
		}
		group, numbers := f.Members(t.Members)
		if group >= t.Groups || slices.Max(numbers) >= t.Members {
			return fmt.Errorf("%v: there is no such member among %s, counted from 0", f, t.Text())
		}
		for _, number := range numbers {
			before, known := last[[2]int{group, number}]
			if err := f.after(before, known, number); err != nil {
				return err
			}
			last[[2]int{group, number}] = f
			if !known && f.Do == Join {
				late[group]++
			}
		}
		if late[group] == t.Members {
			return fmt.Errorf("%v: group %d has no member when the messages begin", f, group)
		}
	}
	return nil
}

// after returns why a fault cannot happen to a member after the one before, if there is one.
func (f Fault) after(before Fault, known bool, number int) error {
	switch {
	case !known:
	case before.At == f.At:
		return fmt.Errorf("%v and %v: a member has one fault at a time: give them different times", before, f)
	case (before.Do == Join) == (f.Do == Join):
		return fmt.Errorf("%v: member %d is %s then", f, number, map[bool]string{true: "there already", false: "not there"}[f.Do == Join])
	}
	return nil
}

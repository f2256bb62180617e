package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// Part returns the cell that one of several machines measures: the same cell with the
// connections and the rate of that part. The schedule of the whole cell says when its
// messages are due, see [schedule.Part.Connections]. The zero part is the whole. It is an
// error if the part has no connection, or a rate below the minimum.
func (c Cell) Part(part schedule.Part) (Cell, error) {
	if part.Of < 2 {
		return c, nil
	}
	if err := c.shares(part.Of); err != nil {
		return c, fmt.Errorf("%v: %w", c, err)
	}
	if c.Shape.UntilStore > 0 {
		return c, fmt.Errorf("%v: agents cannot fill a store yet: leave out until-store, or the agents", c)
	}
	if c.Shape.Files.Count > 0 {
		return c, fmt.Errorf("%v: agents cannot share %s yet: only this machine has the files", c, c.Shape.Payload)
	}
	all := c.Shape.Connections
	if all < part.Of {
		return c, fmt.Errorf("%v has %s, which %d agents cannot share: each needs one at least (--connections %d)", c, words.Plural(all, "connection"), part.Of, part.Of)
	}
	c.Shape.Connections = len(part.Connections(all))
	c.Shape.Topology = c.Shape.Topology.Part(part)
	c.Shape.Rate = schedule.RateOf(c.Shape.Rate.Thousandths() * int64(c.Shape.Connections) / int64(all))
	if c.Shape.Rate.Thousandths() == 0 {
		return c, fmt.Errorf("%v: shared by %d agents, each has less than the %v that is the least", c, part.Of, schedule.MinRate)
	}
	return c, nil
}

// shares returns why so many machines cannot share the groups of consumers. All copies of a message must come back to the
// process that sent it, because clocks differ: so each machine has separate topics, and consumers for them.
func (c Cell) shares(machines int) error {
	t := c.Shape.Topology
	if t.Own() {
		return nil
	}
	return errors.Join(
		wrong(t.Topics%machines > 0, "%d agents cannot share %s: all copies of a message must come back to the agent that sent it, because clocks differ, so no two agents can have one topic (--topics %d or a multiple)", machines, words.Plural(t.Topics, "topic"), machines),
		wrong(t.Members%machines > 0, "%d agents cannot share %s of each group: they receive only from the topics of one agent (--members %d or a multiple)", machines, words.Plural(t.Members, "member"), machines),
		wrong(c.Shape.Keys.Count > 0, "agents cannot share groups of consumers of messages with keys: a key has one topic, and each topic belongs to one agent (leave out the keys, or the groups)"),
		wrong(c.Shape.Backlog != (Backlog{}), "agents cannot share a backlog yet"),
		wrong(slices.ContainsFunc(c.Settings.Faults, Fault.OfMember), "agents cannot have members that join, leave or are killed yet"),
	)
}

// Part returns what one of several machines has of a topology that they can share: topic i of the whole belongs to machine
// i modulo their number, like connection i, and so do the members of each group. The zero part is the whole.
func (t Topology) Part(part schedule.Part) Topology {
	n := max(part.Of, 1)
	return Topology{t.Topics / n, t.Groups, t.Members / n}
}

// Divided says, in a sentence for people, what so many machines have of a topology; "" for one machine.
func (t Topology) Divided(machines int) string {
	if t.Own() || machines < 2 {
		return ""
	}
	part := t.Part(schedule.Part{Of: machines})
	return fmt.Sprintf(" Each of the %d agents has %s, and for these %d of the members of each group: for the broker these are %d groups.",
		machines, words.Plural(part.Topics, "topic"), part.Members, machines*t.Groups)
}

package plan

import (
	"fmt"

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
	if !c.Shape.Topology.Own() {
		return c, fmt.Errorf("%v: agents cannot share groups of consumers yet: all copies of a message must come back to one process", c)
	}
	if c.Shape.Files.Count > 0 {
		return c, fmt.Errorf("%v: agents cannot share %s yet: only this machine has the files", c, c.Shape.Payload)
	}
	all := c.Shape.Connections
	if all < part.Of {
		return c, fmt.Errorf("%v has %s, which %d agents cannot share: each needs one at least (--connections %d)", c, words.Plural(all, "connection"), part.Of, part.Of)
	}
	c.Shape.Connections = len(part.Connections(all))
	c.Shape.Rate = schedule.RateOf(c.Shape.Rate.Thousandths() * int64(c.Shape.Connections) / int64(all))
	if c.Shape.Rate.Thousandths() == 0 {
		return c, fmt.Errorf("%v: shared by %d agents, each has less than the %v that is the least", c, part.Of, schedule.MinRate)
	}
	return c, nil
}

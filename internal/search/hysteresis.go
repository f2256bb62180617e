package search

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// longestRest is how long a target rests at most after an overload until it is given up.
const longestRest = 4 * time.Minute

// checked is the part of the highest rate at which a target is checked after overloads: one
// whose speed varies a little should pass.
const checked = 0.8

// A careful prober rests after each overload. It believes an overload that follows another one
// only if the target still carries a rate a little below the highest one that it carried
// before: else the first overload made it slow, and the probe says nothing about its rate. Then
// the target rests longer and longer, until it carries that rate again.
type careful struct {
	probe ProbeFunc
	seen  *book
	add   func(Probe) // takes a probe that is evidence, or one that is kept as a record

	carried int           // the highest rate without an overload
	rest    time.Duration // after an overload
	proved  time.Duration // the rest that a target with hysteresis needed; 0: it has none
	stuck   bool          // the target did not recover
}

// measure measures one probe and adds it, with those that tell whether it can be believed.
func (c *careful) measure(ctx context.Context, p Probe) error {
	p, err := c.rested(ctx, p)
	if err != nil {
		return err
	}
	if !p.overload() || p.disturbed() || c.seen.rest == 0 || c.carried == 0 {
		c.note(p)
		return nil
	}
	again := Probe{Rate: max(int(checked*float64(c.carried)), c.seen.cfg.From)}
	again.Window = c.seen.cfg.window(again.Rate)
	if c.seen.left() < p.Took+again.Window {
		p.Spoiled = true // no time is left to check
		c.note(p)
		return nil
	}
	if again, err = c.rested(ctx, again); err != nil {
		return err
	}
	if again.overload() {
		p.Spoiled = true
		c.note(p)
		if again.disturbed() {
			c.note(again)
			return nil
		}
		return c.recover(ctx, again)
	}
	c.note(p)
	c.note(again)
	return nil
}

// recover lets the target rest until it carries the rate of a probe that it did not carry.
func (c *careful) recover(ctx context.Context, p Probe) (err error) {
	for p.overload() {
		p.Spoiled = true
		c.note(p)
		c.rest *= 2
		c.seen.rest = c.rest
		if c.stuck = c.rest > longestRest || c.seen.left() < p.Window; c.stuck {
			return nil
		}
		if p, err = c.rested(ctx, Probe{Rate: p.Rate, Window: p.Window}); err != nil {
			return err
		}
	}
	c.proved = c.rest
	c.note(p)
	return nil
}

// why says what a target that did not recover no longer carries.
func (c *careful) why() string {
	return fmt.Sprintf("after an overload the target no longer carries %d/s, which it carried before, also after a rest of %v", int(checked*float64(c.carried)), c.rest/2)
}

// rested measures after the rest that the target needs.
func (c *careful) rested(ctx context.Context, p Probe) (Probe, error) {
	p.Rest = c.seen.rest
	p, err := c.probe(ctx, p)
	p.Took = max(p.Took, p.Window+p.Rest)
	for i := range p.Answers {
		p.Answers[i].complete(c.seen.cfg.Objectives[i])
	}
	return p, err
}

// note adds a probe. A spoiled one is no evidence.
func (c *careful) note(p Probe) {
	switch {
	case p.overload():
		c.seen.rest = c.rest
	case float64(p.Rate) >= checked*float64(c.carried)-1:
		c.carried, c.seen.rest = max(c.carried, p.Rate), 0
	}
	c.add(p)
}

// overload tells whether most messages were over the limit of every objective, or the rate was
// not reached.
func (p Probe) overload() bool {
	return !slices.ContainsFunc(p.Answers, func(a Judgement) bool { return a.Answer == Kept || !a.Sure && 2*a.Over <= a.Of })
}

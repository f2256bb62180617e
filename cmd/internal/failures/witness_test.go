//go:build linux

package failures

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/witness"
	plans "github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// agree is how far an outage may differ from that of the witness, besides the longest time for which
// brokerbench was not scheduled: it records an arrival when the client has handed it over. Counts may not differ.
const agree = 250 * time.Millisecond

// listen has a witness count the messages of the program, if it may. The caller calls stop.
func (c *cell) listen(pid int) (stop func()) {
	w, err := witness.Listen(pid, size)
	if err != nil {
		c.t.Logf("no witness: %v", err)
		return func() {}
	}
	return func() {
		if seen, err := w.Stop(); err != nil {
			c.t.Logf("no witness: %v", err)
		} else {
			c.seen, c.witnessed = seen, true
		}
	}
}

// checkWitness wants the witness to have seen the same.
func (c *cell) checkWitness(f results.Fault) {
	c.t.Helper()
	if !c.witnessed || c.got.Audit == nil {
		return
	}
	a := c.got.Audit
	acked, missing := c.seen.Audit(c.ended(), a.Taken)
	if int64(acked) != a.Acked || int64(missing) != a.Missing {
		c.fall("the witness: %d acknowledged, %d of them missing; brokerbench: %d and %d", acked, missing, a.Acked, a.Missing)
	}
	c.t.Logf("the witness: %d acknowledged, %d of them missing", acked, missing)
	c.checkGap("acknowledgements", witness.Acked, f, f.Impact.Acks)
	if f.Plan.Do != plans.ConsumerPause { // the kernel goes on receiving
		c.checkGap("deliveries", witness.Delivered, f, f.Impact.Deliveries)
	}
}

// checkGap wants the outage to be between those of the witness, or none of its outages to be longer than one that is
// not shown. Between: see [witness.Events.Outage].
func (c *cell) checkGap(of string, kind witness.Kind, f results.Fault, o *results.Outage) {
	c.t.Helper()
	if o == nil || !o.Over() {
		return
	}
	from, to := c.got.Started.Add(time.Duration(f.BeganNS)), c.got.Started.Add(time.Duration(f.Impact.ToNS))
	first, every := c.seen.Before(c.ended()).Outage(kind, from, to)
	apart := max(o.For()-first, every-o.For(), 0)
	c.t.Logf("the witness: no %s for %.3f to %.3f s; brokerbench: %.3f s, shown: %v", of, every.Seconds(), first.Seconds(), o.For().Seconds(), o.Shown)
	if !o.Shown {
		apart = max(every-o.For(), 0)
	}
	allowed := agree
	if h := c.got.Hiccup; h != nil {
		allowed += time.Duration(h.MaxNS)
	}
	if c.apart = max(c.apart, apart); apart > allowed {
		c.fall("no %s for %v to %v by the witness, %v by brokerbench", of, every, first, o.For())
	}
}

// ended is when the cell ended, and the audit began to read.
func (c *cell) ended() time.Time { return c.got.Started.Add(time.Duration(c.got.ElapsedNS)) }

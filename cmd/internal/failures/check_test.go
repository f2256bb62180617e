//go:build linux

package failures

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// check holds what is true after every fault.
func (c *cell) check() {
	c.t.Helper()
	c.checkLeft()
	if c.got == nil {
		c.fall("it was not measured:\n%s", c.said)
		return
	}
	c.checkLedger("window", c.got.Ledger, c.fault.lasts())
	c.checkLedger("warm-up", c.got.WarmupLedger, warmup)
	if len(c.got.Left) > 0 {
		c.fall("left on the target: %v; events %v", c.got.Left, c.got.Events)
	}
	if len(c.got.Faults) != 1 {
		c.fall("%d faults, want 1", len(c.got.Faults))
		return
	}
	f := c.got.Faults[0]
	c.checkFault(f)
	if f.Impact == nil {
		c.fall("nothing is known of what became of the messages")
		return
	}
	c.checkHarm(f.Impact)
	c.checkAcked(f.Impact)
	c.checkWitness(f)
}

// checkLedger wants every message of the schedule to be accounted for once.
func (c *cell) checkLedger(of string, l results.Ledger, lasts time.Duration) {
	c.t.Helper()
	if want := int64(rate * lasts / time.Second); l.Due != want {
		c.fall("%s: %d messages were due, want %d", of, l.Due, want)
	}
	if l.Due != l.Done+l.Failed+l.Lost+l.Unsent || min(l.Done, l.Failed, l.Lost, l.Unsent) < 0 {
		c.fall("%s: the ledger does not add up: %+v", of, l)
	}
}

// late is how long after it should a fault may begin: who leads is asked for until somebody does.
const late = 11 * time.Second

// checkFault wants the fault to have been made in time, and healed.
func (c *cell) checkFault(f results.Fault) {
	c.t.Helper()
	if f.Error != "" {
		c.fall("%s: %s", f.Name(), f.Error)
	}
	began := time.Duration(f.BeganNS) - warmup
	if !f.Done() || began < begins || began > begins+late {
		c.fall("it began at %v, want %v, and was made: %v", began, begins, f.Done())
	}
	if f.HealedNS == nil || *f.HealedNS < f.BrokenNS {
		c.fall("it was not healed: broken at %v", time.Duration(f.BrokenNS))
	}
}

// checkHarm wants its counts to add up, and the outage to be what the fault brings about.
func (c *cell) checkHarm(h *results.Impact) {
	c.t.Helper()
	if h.Due != h.Done+h.Failed+h.Lost {
		c.fall("what became of the messages does not add up: %+v", h)
	}
	l := c.got.Ledger
	if h.Due > l.Due || h.Failed > l.Failed || h.Lost > l.Lost+l.Unsent {
		c.fall("more than the ledger has: %+v, %+v", h, l)
	}
	out := h.Outage()
	if out == nil {
		c.fall("no outage is known")
		return
	}
	if !out.Over() && out.Shown && !c.stays(h) {
		c.fall("the outage is not over at the end: %v", out.For())
	}
	// On a busy machine silences are so long before the fault that none is shown.
	if least := c.fault.least; (c.broker.slow || !c.fault.slow) && out.For() < least {
		c.fall("an outage of %v, want %v at least", out.For(), least)
	}
	if worst := time.Duration(h.WorstNS); worst < c.fault.worst {
		c.fall("the longest response took %v, want %v at least", worst, c.fault.worst)
	}
}

// stays tells whether the fault is one after which this broker takes messages again and
// delivers none, and whether that is all: acknowledgements are back, and what was not delivered
// is all there, as checkAcked wants.
func (c *cell) stays(h *results.Impact) bool {
	return c.fault.stays == c.broker.name && h.Acks != nil && h.Acks.Over() && c.got.Audit != nil && c.got.Audit.Kept > 0
}

// checkAcked wants nothing to be lost that was acknowledged, if the level requires that.
func (c *cell) checkAcked(h *results.Impact) {
	c.t.Helper()
	a := c.got.Audit
	switch {
	case a == nil:
		c.fall("the store was not read")
	case a.Error != "":
		c.fall("what the broker has kept is not known: %s", a.Error)
	case h.AckedLost == nil || *h.AckedLost != a.Missing:
		c.fall("the audit misses %d, and the fault lost %v", a.Missing, h.AckedLost)
	case a.Acked != a.Delivered+a.Kept+a.Missing:
		c.fall("the audit does not add up: %+v", a)
	case a.Missing > 0 && !c.fault.all:
		c.fall("BROKEN PROMISE: %s", a.Loss())
	}
}

// checkLeft wants no process and no file to be left of the nodes.
func (c *cell) checkLeft() {
	c.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(c.cache, "brokerbench", "systems", "*")); len(left) > 0 {
		c.fall("left behind: %v", left)
	}
	var left []string
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		at, _ := os.Readlink(p + "/cwd")
		line, _ := os.ReadFile(p + "/cmdline")
		if strings.HasPrefix(at, c.cache) || strings.Contains(string(line), c.cache) {
			left = append(left, fmt.Sprintf("%s %.80q", filepath.Base(p), line))
		}
	}
	if len(left) > 0 {
		c.fall("processes live on: %v", left)
	}
}

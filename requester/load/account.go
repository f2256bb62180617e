package load

import "time"

// An Account is what became of the ops of a window, or of a section of it.
type Account struct {
	Ledger
	AckLedger AckLedger     // all 0 if the system under test does not acknowledge
	FirstDone time.Duration // when the first op to be done was done; 0 if none
	LastDone  time.Duration // when the last was
}

// Add adds another account to this one.
func (a *Account) Add(other Account) {
	a.Ledger.Add(other.Ledger)
	a.AckLedger.Add(other.AckLedger)
	if other.FirstDone > 0 {
		a.setDone(other.FirstDone)
		a.setDone(other.LastDone)
	}
}

// setDone updates when the first and the last op were done.
func (a *Account) setDone(done time.Duration) {
	if a.FirstDone == 0 || done < a.FirstDone {
		a.FirstDone = done
	}
	a.LastDone = max(a.LastDone, done)
}

// account returns the account of an op of the window, or of its section. The caller holds the lock.
func (c *conn) account(due time.Duration) *Account {
	if c.sections == nil {
		return &c.window
	}
	return &c.sections[c.run.cfg.Sections.At(due)]
}

// Sections are when the sections of a window end, in order, the last with the schedule.
type Sections []time.Duration

// At returns which section an op of the window is in: that which ends after due.
func (s Sections) At(due time.Duration) int {
	i := 0
	for i < len(s)-1 && due >= s[i] {
		i++
	}
	return i
}

// divide divides the unsent ops of the window among the sections, whose ops were sent in the
// order in which they were due, and makes the window their sum. The caller holds the lock.
func (c *conn) divide(dues []int64) {
	if c.sections == nil {
		return
	}
	unsent := c.window.Unsent
	c.window = Account{}
	for i := len(c.sections) - 1; i >= 0; i-- {
		s := &c.sections[i]
		s.Due = dues[i]
		s.Unsent = min(unsent, s.Due)
		unsent -= s.Unsent
		c.window.Add(*s)
	}
}

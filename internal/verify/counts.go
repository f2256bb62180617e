package verify

import (
	"fmt"
	"time"
)

// counts makes the rows of the ledger. A message whose reply was being taken while
// the engine ended the run may be on either side; else they are exact. ideal is what
// arithmetic says.
func (r *run) counts(ideal prediction) []Row {
	l := r.result.Ledger
	var due, unsent, unsentAtMost, done, doneAtMost int64
	for i := range r.window() {
		m := &r.window()[i]
		due++
		if m.asked == 0 {
			unsent++
		}
		if m.asked == 0 || m.asked > r.elapsed {
			unsentAtMost++
		}
		if m.returned > 0 && m.returned <= r.elapsed {
			done++
		}
		if m.handed > 0 && m.handed <= r.elapsed+grain {
			doneAtMost++
		}
	}
	failable := due - done - unsent
	if r.system != nil {
		failable = 0 // a system that refuses nothing
	}
	rows := []Row{
		count("due", due, due, l.Due), count("done", done, doneAtMost, l.Done),
		count("lost", due-doneAtMost-unsentAtMost-l.Failed, due-done-unsent-l.Failed, l.Lost),
		count("unsent", unsent, unsentAtMost, l.Unsent), count("failed", 0, failable, l.Failed),
	}
	rows[0].Ideal, rows[1].Ideal, rows[2].Ideal = &ideal.Due, &ideal.Done, new(ideal.Due-ideal.Done)
	return append(rows, r.every("not forgotten", r.forgotten), r.patience())
}

// forgotten: a message whose reply was taken before the end is done; and one is
// left unsent only if its connection was not free.
func (r *run) forgotten(m *message) string {
	b := m.before
	switch {
	case m.op == nil && m.returned > 0 && m.returned <= r.elapsed && r.result.Ledger.Failed == 0:
		return "its reply came, and it is not done"
	case m.asked > 0 || b != nil && b.asked == 0: // the first that is unsent says it for all
		return ""
	case b == nil:
		return "nothing was sent on this connection"
	case b.answered == 0 || b.answered > r.elapsed:
		return "" // the connection was in Request until the end
	case r.hadSlot(m, r.elapsed):
		return "it was never sent, though the connection was free"
	case r.cell.Shape.InFlight == 1 && !r.patient && b.handed == 0 && b.asked < r.elapsed-r.cell.Settings.Timeout-time.Second-time.Duration(hiccup(r.result)): // it may have stood still across the end
		return "it was never sent, though the one before it had timed out"
	}
	return ""
}

// patience makes the row of when the run ended: not before the timeout, if any
// message is not done. One that failed is not waited for.
func (r *run) patience() Row {
	from, missing := int64(0), (*message)(nil)
	for i := range r.messages {
		if r.messages[i].op == nil && r.result.Ledger.Failed == 0 {
			s := r.cell.Settings
			from, missing = int64(s.Warmup+s.Duration+s.Timeout), &r.messages[i]
			break
		}
	}
	ended := int64(r.elapsed)
	row := Row{Name: "ended", Unit: "ns", From: &from, To: new(max(from, ended)), Measured: &ended}.judged(0)
	if !row.Agrees {
		row.Where = fmt.Sprintf("%v was to be waited for: %s", missing, row.Where)
	}
	return row
}

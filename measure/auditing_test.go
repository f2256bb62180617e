package measure

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// slowly reads the store of a keeper, one message every so often, or none at all and never
// returns; obeys tells whether it ends with its context.
type slowly struct {
	*keeper
	every time.Duration // 0: it reads nothing
	obeys bool
}

func (s slowly) Audit(ctx context.Context, kept func([]byte)) error {
	if s.every == 0 && !s.obeys {
		time.Sleep(24 * time.Hour)
		return nil
	}
	for _, payload := range s.store {
		if s.every == 0 {
			<-ctx.Done()
		}
		time.Sleep(s.every)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		kept(bytes.Clone(payload))
	}
	return nil
}

// auditing measures 100/s for a second after a warm-up of a second; the audit begins at about
// 2 s. It returns what was reported, and when the cell was over after the first due.
func auditing(t *testing.T, s slowly, during func(start time.Time, cancel, giveUp func())) (c *results.Cell, reports []Auditing, took time.Duration) {
	t.Helper()
	s.keeper = &keeper{}
	cell := cellOf(100, time.Second)
	cell.Settings.Audit = true
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		giveUp := make(chan struct{})
		var begun time.Time
		o := Options{
			NewWaiter: load.SleepWaiter, GiveUp: giveUp, Auditing: func(a Auditing) { reports = append(reports, a) },
			Started: func(start time.Time) {
				begun = start
				if during != nil {
					during(start, cancel, func() { close(giveUp) })
				}
			},
		}
		var err error
		if c, err = judged(ctx, s, cell, o); err != nil {
			t.Fatal(err)
		}
		took = time.Since(begun)
		time.Sleep(48 * time.Hour) // what was left behind ends
	})
	return c, reports, took
}

// A long audit says twice a second how far it is; a quick one says nothing.
func TestALongAuditSaysHowFarItIs(t *testing.T) {
	c, reports, _ := auditing(t, slowly{every: 10 * ms}, nil)
	if c.Audit.Kept != 200 || c.Audit.Error != "" || len(reports) < 3 || len(reports) > 4 {
		t.Fatalf("%+v, %d reports", c.Audit, len(reports))
	}
	for i, r := range reports {
		elapsed := time.Duration(i+1) * auditingEvery
		if want := int64(elapsed / (10 * ms)); r.Elapsed != elapsed || r.Read < want-2 || r.Read > want || r.Acked != 200 || r.Cell.Target.Name != "loopback" {
			t.Errorf("report %d: %+v, want %d read after %v, but for the probe", i, r, want, elapsed)
		}
	}
	if c, reports, _ := auditing(t, slowly{every: ms}, nil); c.Audit.Kept != 200 || len(reports) != 0 {
		t.Errorf("%+v, %d reports of an audit of 0.2 s", c.Audit, len(reports))
	}
}

// Ctrl-C during an audit ends it at once, whatever the auditor does, and the cell is kept:
// its window was whole.
func TestTheFirstInterruptEndsAnAudit(t *testing.T) {
	for name, s := range map[string]slowly{"reads": {every: 50 * ms}, "obeys": {obeys: true}, "never returns": {}} {
		c, _, took := auditing(t, s, func(start time.Time, cancel, _ func()) { time.AfterFunc(time.Until(start)+5*time.Second, cancel) })
		if took < 5*time.Second || took > 5*time.Second+lastMoment {
			t.Errorf("%s: the cell ended after %v", name, took)
		}
		if c.Audit.Error != errGivenUp.Error() || slo(c).Outcome != results.Inconclusive || c.Verdict != results.Suspect {
			t.Errorf("%s: %+v, %+v, %s", name, c.Audit, slo(c), c.Verdict)
		}
		if c.Interrupted || c.Ledger.Done != 100 || c.Response.Count != 100 || c.Audit.Acked != 200 {
			t.Errorf("%s: interrupted %v, ledger %+v, audit %+v", name, c.Interrupted, c.Ledger, c.Audit)
		}
	}
}

// Ctrl-C while messages are due keeps what there is, and what of it was kept is asked all the
// same. The second one ends the audit.
func TestTheSecondInterruptEndsTheAuditOfAnInterruptedCell(t *testing.T) {
	interrupt := func(start time.Time, cancel func()) { time.AfterFunc(time.Until(start)+1500*ms, cancel) }
	c, _, _ := auditing(t, slowly{every: ms}, func(start time.Time, cancel, _ func()) { interrupt(start, cancel) })
	if !c.Interrupted || c.Audit.Error != "" || c.Audit.Kept != c.Audit.Acked || c.Audit.Acked < 149 || c.Audit.Acked > 152 {
		t.Errorf("interrupted %v: %+v", c.Interrupted, c.Audit)
	}
	c, _, took := auditing(t, slowly{}, func(start time.Time, cancel, giveUp func()) {
		interrupt(start, cancel)
		time.AfterFunc(time.Until(start)+10*time.Second, giveUp)
	})
	if !c.Interrupted || c.Audit.Error != errGivenUp.Error() || took > 10*time.Second+lastMoment {
		t.Errorf("interrupted %v after %v: %+v", c.Interrupted, took, c.Audit)
	}
}

// An audit that takes too long is not called interrupted.
func TestAnAuditThatTakesTooLong(t *testing.T) {
	c, _, _ := auditing(t, slowly{obeys: true}, nil)
	if c.Audit.Error != errTooLong.Error() {
		t.Errorf("%+v", c.Audit)
	}
	if c, _, _ := auditing(t, slowly{}, nil); c.Audit.Error != errAuditor.Error() {
		t.Errorf("%+v", c.Audit)
	}
}

package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A withholder is a queue of which a stranger's consumer has taken messages, and acknowledged
// none: neither delivered to ours nor there to be read, until the stranger gives them back.
type withholder struct {
	taker

	slow  time.Duration // how long the first audit takes
	back  time.Duration // when the stranger gives them back, after the first audit began; 0: never
	blind error         // what explain returns, if it cannot be decided

	begun  time.Time
	doubts int
}

func (w *withholder) Audit(ctx context.Context, kept func([]byte)) error {
	if w.begun.IsZero() {
		w.begun = time.Now()
		time.Sleep(w.slow)
	}
	for _, payload := range w.store { // those that are held
		if w.returned() {
			kept(bytes.Clone(payload))
		}
	}
	if w.returned() {
		w.store = nil
	}
	return ctx.Err()
}

func (w *withholder) Store() requester.Store {
	return requester.Store{Consuming: true, Explain: w.explain}
}

func (w *withholder) explain(context.Context) error {
	switch w.doubts++; {
	case w.blind != nil:
		return w.blind
	case w.returned() || len(w.store) == 0:
		return nil
	}
	return fmt.Errorf("%d messages of queue q: %w", len(w.store), requester.ErrHeld)
}

func (w *withholder) returned() bool { return w.back > 0 && time.Since(w.begun) >= w.back }

// withheld has a queue of which message 700 of each of three connections is held.
func withheld(back time.Duration, blind error) *withholder {
	return &withholder{taker: taker{unread: func(seq uint64) bool { return seq == 700 }}, back: back, blind: blind}
}

func TestWhatAConsumerHeldIsFoundWhenItComesBack(t *testing.T) {
	w := withheld(10*time.Second, nil)
	c := auditedOf(t, w)
	if a := c.Audit; a.Missing != 0 || a.Kept != 3 || a.Delivered != 2997 || a.Error != "" || a.Duplicates != 0 {
		t.Errorf("%+v", a)
	}
	if s := slo(c); s.Outcome != results.Passed || w.doubts < 10 {
		t.Errorf("%+v, asked %d times", s, w.doubts)
	}
}

// The limit is for looking again: a first reading that takes longer uses none of it up.
func TestAfterALongAuditThereIsTimeToLookAgain(t *testing.T) {
	w := withheld(50*time.Second, nil)
	w.slow = 40 * time.Second
	if a := auditedOf(t, w).Audit; a.Missing != 0 || a.Kept != 3 || a.Error != "" {
		t.Errorf("%+v", a)
	}
}

// Given back after it was read and before it was asked for: it is read once more.
func TestWhatComesBackBetweenReadingAndAskingIsFound(t *testing.T) {
	c := auditedOf(t, withheld(time.Nanosecond, nil))
	if a := c.Audit; a.Missing != 0 || a.Kept != 3 || a.Error != "" {
		t.Errorf("%+v", a)
	}
}

func TestWhatAConsumerHoldsForEverIsNotDecided(t *testing.T) {
	c := auditedOf(t, withheld(0, nil))
	a := c.Audit
	if took := time.Duration(a.TookNS); took < doubtLimit || took > doubtLimit+time.Second {
		t.Errorf("decided after %v, want %v", took, doubtLimit)
	}
	if want := "not decided: 3 of 3000 messages that were acknowledged were not found: 3 messages of queue q: held by"; !strings.HasPrefix(a.Error, want) || a.Missing != 3 {
		t.Errorf("%+v, want %s…", a, want)
	}
	if s := slo(c); s.Outcome != results.Inconclusive || c.Verdict == results.Valid {
		t.Errorf("%+v, %s", s, c.Verdict)
	}
}

// Where nobody can tell, nobody waits.
func TestWhatNobodyCanTellIsNotDecidedAtOnce(t *testing.T) {
	w := withheld(0, errors.New("a connection broke"))
	c := auditedOf(t, w)
	if a := c.Audit; !strings.Contains(a.Error, "not decided: 3 of 3000") || !strings.Contains(a.Error, "a connection broke") || w.doubts != 1 || a.TookNS != 0 {
		t.Errorf("%+v, asked %d times", a, w.doubts)
	}
}

// Nobody is asked about what is there, and what is lost is lost although somebody was asked.
func TestWhatNobodyHoldsIsLost(t *testing.T) {
	w := &withholder{taker: taker{keeper: keeper{forgets: func(seq uint64) bool { return seq == 700 }}}}
	if c := auditedOf(t, w); c.Audit.Missing != 3 || c.Audit.Error != "" || slo(c).Outcome != results.Missed || w.doubts != 1 {
		t.Errorf("%+v, %+v, asked %d times", c.Audit, slo(c), w.doubts)
	}
	if w = new(withholder); slo(auditedOf(t, w)).Outcome != results.Passed || w.doubts != 0 {
		t.Errorf("asked %d times about nothing", w.doubts)
	}
}

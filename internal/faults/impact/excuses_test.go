package impact

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What a fault did is no reason to doubt the cell, but percentiles say that it is in them.
func TestFaultsExcuseWhatTheyDo(t *testing.T) {
	never := func(_ int, at time.Duration) time.Duration {
		if at > 6*second && at < 8*second {
			return -1
		}
		return ms
	}
	c := brokenCell(t, &wire{reply: never}, brokenAt(500, 20*second, 5*second))
	if c.Verdict != results.Valid || c.Faults[0].Impact.Lost == 0 {
		t.Errorf("%s %+v", c.Verdict, c.Problems)
	}
	row, _ := c.Response.At(95)
	if p50, _ := c.Response.At(50); !p50.Usable() || row.Usable() {
		t.Errorf("p50 %+v, p95 %+v", p50, row)
	}
	// The same without a fault is a broken cell.
	if c := brokenCell(t, &wire{reply: never}, cellOf(500, 20*second)); c.Verdict != results.Invalid {
		t.Errorf("without faults: %s", c.Verdict)
	}
}

func TestMissingBeforeTheFirstFaultIsNotExcused(t *testing.T) {
	c := brokenCell(t, &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at > 3*second && at < 3*second+100*ms {
			return -1
		}
		return ms
	}}, brokenAt(500, 20*second, 8*second))
	if p, ok := c.Problem(results.CodeMissing); !ok || p.Severity == results.Valid {
		t.Errorf("%s %+v", c.Verdict, c.Problems)
	}
}

func TestAFaultThatNobodyMadeIsSaid(t *testing.T) {
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		cell := brokenAt(100, 5*second, second)
		if c, err = measured(t.Context(), &wire{reply: always(ms)}, cell, Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if p, ok := c.Problem(results.CodeFault); !ok || c.Verdict != results.Suspect || c.Faults[0].Impact != nil {
		t.Errorf("%s %+v %+v", c.Verdict, p, c.Faults)
	}
}

// A target that does not carry the rate at all is not excused by a fault.
func TestAnOverloadIsNotExcused(t *testing.T) {
	silent := func(int, time.Duration) time.Duration { return -1 }
	c := brokenCell(t, &wire{reply: silent}, brokenAt(500, 20*second, 5*second))
	if c.Verdict == results.Valid {
		t.Errorf("nothing ever came, and the cell is %s: %v", c.Verdict, c.Problems)
	}
	half := func(_ int, at time.Duration) time.Duration {
		if at/ms%4 < 2 {
			return -1
		}
		return ms
	}
	if c := brokenCell(t, &wire{reply: half}, brokenAt(500, 20*second, 5*second)); c.Verdict != results.Invalid {
		t.Errorf("half of it came, and the cell is %s: %v", c.Verdict, c.Problems)
	}
}

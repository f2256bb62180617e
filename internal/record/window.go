package record

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A Window is the measured part of a schedule, from one offset to another.
type Window struct{ From, To time.Duration }

// WindowOf returns the window of a cell.
func WindowOf(s plan.Settings) Window { return Window{s.Warmup, s.Warmup + s.Duration} }

// An interval ends when a goroutine has woken up, microseconds after the whole second: so the one
// of the warm-up reaches into the window, and the last of the window beyond it. An interval belongs
// to where its middle is.

// Before reports whether an interval belongs to the warm-up.
func (w Window) Before(from, to time.Duration) bool { return (from+to)/2 < w.From && to < w.To }

// Has reports whether an interval belongs to the window.
func (w Window) Has(from, to time.Duration) bool { return (from+to)/2 < w.To && !w.Before(from, to) }

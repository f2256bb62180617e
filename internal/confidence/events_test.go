package confidence

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// seconds makes a series of n seconds, of which each has 1,000 values of about a
// millisecond, and 200 that wait in a pause where paused says so.
func seconds(n int, paused func(i int) bool) *Series {
	var s Series
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		h := histogram.New()
		for range 1000 {
			h.Record(time.Millisecond + time.Duration(random.ExpFloat64()*float64(100*time.Microsecond)))
		}
		if paused(i) {
			for wait := range 200 {
				h.Record(time.Duration(wait) * time.Millisecond)
			}
		}
		s.Add(h)
	}
	return &s
}

func never(int) bool { return false }

// The messages of a pause are one event, however many they are.
func TestThreePausesAreThreeEvents(t *testing.T) {
	s := seconds(60, func(i int) bool { return i == 10 || i == 30 || i == 50 })
	if events, ok := s.Events(99.5, 0); !ok || events < 2 || events > 4 {
		t.Errorf("%.2f events, want about 3", events)
	}
	if events, ok := s.Events(50, 0); !ok || events < 1000 {
		t.Errorf("%.2f events above the median, want thousands", events)
	}
}

// Without pauses each message is an event of its own, or nearly.
func TestIndependentMessagesAreEvents(t *testing.T) {
	s := seconds(60, never)
	for p, least := range map[float64]float64{99: 300, 99.9: 25} {
		if events, _ := s.Events(p, 0); events < least || events > 1.01*60_000*(1-p/100) {
			t.Errorf("p%v: %.1f events, want %v at least", p, events, least)
		}
	}
}

// A tail that comes from two events has no upper bound.
func TestTwoEventsBoundNothing(t *testing.T) {
	two := seconds(60, func(i int) bool { return i == 20 || i == 40 })
	if i, ok := two.Interval(99.5, 0); !ok || i.HighKnown || !i.LowKnown {
		t.Errorf("%+v, want an open top", i)
	}
	if i, _ := two.Interval(50, 0); !i.HighKnown {
		t.Errorf("%+v, want a bound of the median", i)
	}
}

package confidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
)

// A pausing system answers in a tenth of a millisecond or so, and stands still for 200 ms
// after an exponential time. What is due meanwhile is done at the end.
type pausing struct {
	every  time.Duration // on average
	window int           // seconds, at 500 messages each
}

const (
	pauseLength = 200 * time.Millisecond
	pauseRate   = 500
	calm        = float64(100 * time.Microsecond)
	calmSigma   = 0.3
)

// percentile returns the true percentile.
func (c pausing) percentile(p float64) time.Duration {
	cycle := float64(c.every + pauseLength)
	above := (1 - p/100) * cycle // so much of each cycle waits longer
	if above < float64(pauseLength) {
		return pauseLength - time.Duration(above) // what waits for the rest of a pause
	}
	share := p / 100 / (1 - float64(pauseLength)/cycle)
	return time.Duration(calm * math.Exp(calmSigma*math.Sqrt2*math.Erfinv(2*share-1)))
}

func (c pausing) run(seed uint64) *Series {
	var s Series
	random := rand.New(rand.NewPCG(seed, 11))
	next := func() time.Duration { return time.Duration(random.ExpFloat64() * float64(c.every)) }
	from := next()
	if random.Float64() < float64(pauseLength)/float64(c.every+pauseLength) { // one is under way
		from = -time.Duration(random.Float64() * float64(pauseLength))
	}
	seconds := make([]*histogram.Histogram, c.window+1)
	for i := range seconds {
		seconds[i] = histogram.New()
	}
	for i := range c.window * pauseRate {
		due := time.Duration(i) * time.Second / pauseRate
		for due >= from+pauseLength {
			from += pauseLength + next()
		}
		wait := time.Duration(calm * math.Exp(calmSigma*random.NormFloat64()))
		if due >= from {
			wait += from + pauseLength - due
		}
		seconds[min(int((due+wait)/time.Second), c.window)].Record(wait)
	}
	for _, h := range seconds[:c.window] {
		s.Add(h)
	}
	s.Extend(seconds[c.window])
	return &s
}

// coverPauses adds the cases that no interval can cover: tails that are made of rare
// pauses, of which a run may have none.
func coverPauses(t *testing.T, page *simulation.Page) {
	t.Helper()
	runs := 60
	if *simulation.Long {
		runs = 1000
	}
	page.Table(fmt.Sprintf("A system that stands still for 200 ms now and then, %d runs each. **Where \"covered\" is low, the interval is wrong**: most of those runs "+
		"saw no pause, and no interval can hold an event that did not happen. So pauses are also counted, and their rate has a bound (pauses.md).", runs),
		"a pause every", "window", "percentile", "true, ms", "covered", "bounded from above", "covered, of runs with fewer than 3 events above it", "of runs with more")
	for _, c := range []struct {
		pausing
		p     float64
		least int // percent of all runs that must cover; 0: they do not
	}{
		{pausing{30 * time.Second, 30}, 99, 0},
		{pausing{30 * time.Second, 30}, 99.9, 0},
		{pausing{30 * time.Second, 60}, 99.9, 0},
		{pausing{30 * time.Second, 300}, 99.9, 90},
		{pausing{150 * time.Second, 30}, 99.9, 0},
		{pausing{150 * time.Second, 600}, 99.9, 70},
		{pausing{5 * time.Second, 60}, 99, 90},
		{pausing{5 * time.Second, 60}, 99.9, 90},
	} {
		truth := c.percentile(c.p)
		var bounded int
		var of, good [2]int // of the runs with few events, and with more
		for seed := range runs {
			s := c.run(uint64(seed))
			i, ok := s.Interval(c.p, 0)
			if !ok {
				t.Fatal("no interval")
			}
			many := 0
			if events, _ := s.Events(c.p, 0); events >= MinEvents {
				many = 1
			}
			of[many]++
			if i.HighKnown {
				bounded++
			}
			if slack := truth / 100; (!i.LowKnown || i.Low <= truth+slack) && (!i.HighKnown || truth-slack <= i.High) {
				good[many]++
			}
		}
		share := func(n, of int) string {
			if of == 0 {
				return "-"
			}
			return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
		}
		covered := good[0] + good[1]
		page.Row(c.every.String(), fmt.Sprintf("%d s", c.window), fmt.Sprintf("p%v", c.p), fmt.Sprintf("%.3g", float64(truth)/float64(time.Millisecond)),
			share(covered, runs), share(bounded, runs), share(good[0], of[0]), share(good[1], of[1]))
		if covered < runs*c.least/100 {
			t.Errorf("%+v: %d of %d runs are covered", c, covered, runs)
		}
	}
}

package causes

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// A world makes cells of known causes: a minute, sampled every ten milliseconds.
type world struct {
	*rand.Rand

	samples int
	bursts  float64 // how many pauses or events come in a burst on average
}

const sampleNS = int64(10 * time.Millisecond)

// times returns when bursty events begin, so many on average: bursts begin at random, and within a burst the gaps
// have a mean of 150 ms.
func (w world) times(n float64) (list []int64) {
	whole := float64(w.samples) * float64(sampleNS)
	for at := w.ExpFloat64() * whole * w.bursts / n; at < whole; at += w.ExpFloat64() * whole * w.bursts / n {
		for t := at; t < whole; t += w.ExpFloat64() * 150e6 {
			list = append(list, int64(t))
			if w.Float64() < 1/w.bursts {
				break
			}
		}
	}
	return list
}

// cell returns a cell whose pauses begin then. They last for 20 to 120 ms.
func (w world) cell(pauses []int64) (s *cause.Samples) {
	s = &cause.Samples{ToNS: int64(w.samples) * sampleNS, SlotNS: sampleNS, Samples: w.samples, EndsNS: []int64{0}}
	for range w.samples {
		s.EndsNS = append(s.EndsNS, sampleNS)
	}
	for _, at := range pauses {
		for response := int64(20e6 + w.Float64()*100e6); response > 0; response -= sampleNS {
			s.Worst = append(s.Worst, cause.WorstMessage{DueNS: at, ResponseNS: response})
			at += sampleNS
		}
	}
	for range 200 { // ordinary messages
		s.Worst = append(s.Worst, cause.WorstMessage{DueNS: w.Int64N(s.ToNS), ResponseNS: 1e6 + w.Int64N(3e6)})
	}
	for i := range s.Worst { // sorted as record.Worst does
		for k := i; k > 0 && s.Worst[k].ResponseNS > s.Worst[k-1].ResponseNS; k-- {
			s.Worst[k], s.Worst[k-1] = s.Worst[k-1], s.Worst[k]
		}
	}
	s.Worst = s.Worst[:min(len(s.Worst), 1000)]
	return s
}

// series adds a series with events that begin then.
func (w world) series(s *cause.Samples, name, where, kind string, events []int64, hum int64) {
	values := make([]int64, w.samples)
	for i := range values {
		values[i] = w.Int64N(hum + 1)
	}
	for _, at := range events {
		for left := int64(10e3 + w.Float64()*60e3); left > 0; left -= 10e3 {
			if i := at / sampleNS; i < int64(w.samples) {
				values[i] += min(left, 10e3)
			}
			at += sampleNS
		}
	}
	one := cause.Series{Cause: name, Where: where, Kind: kind}
	for i, v := range values {
		if v > 0 {
			one.Put(i, v)
		}
	}
	s.Series = append(s.Series, one)
}

// independent adds candidates that have nothing to do with the pauses.
func (w world) independent(s *cause.Samples) {
	for i, name := range ranks {
		kind := cause.Time
		if i%3 == 2 {
			kind = cause.Count
		}
		w.series(s, name, cause.Machine, kind, w.times(10+w.Float64()*100), int64(i%2)*200)
		w.series(s, name, "node", kind, w.times(5+w.Float64()*60), 0)
	}
}

// simulated returns how many cells are simulated: fewer with -short, which the race detector makes slow.
func simulated(usual int) int {
	if testing.Short() {
		return usual * 2 / 5
	}
	return usual
}

// Pauses and events that come in bursts, independently of each other, have a common cause in at most 5 % of the cells.
func TestNoCauseIsNamedByChance(t *testing.T) {
	cells := simulated(100)
	for _, bursts := range []float64{1, 3, 8} {
		named, judged := 0, 0
		for i := range cells {
			w := world{rand.New(rand.NewPCG(uint64(i), uint64(bursts))), 6000, bursts}
			s := w.cell(w.times(30))
			w.independent(s)
			r := Judge(s)
			if r.Verdict != cause.Undecided {
				judged++
			}
			if len(r.Causes) > 0 {
				named++
			}
		}
		// The number named in so many cells is binomial: two standard deviations above 5 %.
		most := 0.05*float64(judged) + 2*math.Sqrt(0.05*0.95*float64(judged))
		t.Logf("bursts of %v: %d of %d cells that were judged have a false cause (%.1f %%)", bursts, named, judged, 100*float64(named)/float64(judged))
		if float64(named) > most || judged < cells/2 {
			t.Errorf("bursts of %v: %d of %d cells have a false cause, more than %.1f", bursts, named, judged, most)
		}
	}
}

// Pauses and events that come at the same regular interval, each from a random time on, may meet all the time or
// never: that is chance, too.
func TestNoCauseIsNamedByTheClock(t *testing.T) {
	cells := simulated(60)
	for _, every := range []int64{1e9, 1.3e9, 2e9} {
		named := 0
		for i := range cells {
			w := world{rand.New(rand.NewPCG(uint64(i), 9)), 6000, 1}
			regular := func() (list []int64) {
				for at := w.Int64N(every); at < int64(w.samples)*sampleNS; at += every {
					list = append(list, at+w.Int64N(10e6))
				}
				return list
			}
			s := w.cell(regular())
			for _, name := range []string{cause.Disk, cause.Log, cause.RunQueue} {
				w.series(s, name, "node", cause.Time, regular(), 0)
			}
			if len(Judge(s).Causes) > 0 {
				named++
			}
		}
		t.Logf("every %v: %d of %d cells have a false cause", time.Duration(every), named, cells)
		if most := 0.05*float64(cells) + 2*math.Sqrt(0.05*0.95*float64(cells)); float64(named) > most {
			t.Errorf("every %v: %d of %d cells have a false cause, more than %.1f", time.Duration(every), named, cells, most)
		}
	}
}

// A cause of some of the pauses is found.
func TestAPlantedCauseIsFound(t *testing.T) {
	const cells = 40
	for _, row := range []struct {
		pauses, explained, least float64 // least: the share of the cells in which it must be found
	}{{30, 1, 0.95}, {30, 0.6, 0.9}, {12, 1, 0.9}} {
		found, other := 0, 0
		for i := range cells {
			w := world{rand.New(rand.NewPCG(uint64(i), 77)), 6000, 2}
			pauses := w.times(row.pauses)
			s := w.cell(pauses)
			w.independent(s)
			var events []int64
			for _, at := range pauses {
				if w.Float64() < row.explained {
					events = append(events, at)
				}
			}
			w.series(s, cause.Throttled, "planted", cause.Time, append(events, w.times(20)...), 100)
			for _, c := range Judge(s).Causes {
				if c.Where == "planted" {
					found++
				} else {
					other++
				}
			}
		}
		t.Logf("%v pauses, %v %% of them explained: found in %d of %d cells, %d other causes", row.pauses, 100*row.explained, found, cells, other)
		if float64(found) < row.least*cells || float64(other) > 0.15*cells {
			t.Errorf("%v pauses, %v %% of them explained: found in %d of %d cells, %d other causes", row.pauses, 100*row.explained, found, cells, other)
		}
	}
}

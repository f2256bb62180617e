package compare_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A world makes the percentiles of runs without their messages: what is compared is
// how runs differ.
type world struct {
	noise  float64                  // standard deviation between runs, of the logarithm; p99.9 and the maximum have more
	draw   func(*rand.Rand) float64 // of a deviation of 1; nil: normal
	every  float64                  // seconds between pauses of 200 ms, on average; 0: there are none
	blind  bool                     // nobody counts pauses and events, as in old results
	window float64                  // seconds; 0: 60
}

// messages is how many a run has.
const messages = 60_000

// A change is what NEW does otherwise. Zero fields are none.
type change struct {
	scale   float64 // of everything
	tail    float64 // of p99 and beyond
	stalled int     // the last so many runs stand still once
	more    int     // or so often
	lost    float64 // the share of its messages that a run loses
	lossy   float64 // the share of runs that lose any; 0: all
}

// cell makes a run of one cell.
func (w world) cell(rng *rand.Rand, repeat int, rate schedule.Rate, by change, stalls int) compare.Trial {
	c := cell(repeat)
	c.Plan.Shape.Rate = rate
	c.ID = c.Plan.ID()
	window := w.seconds()
	if w.every > 0 {
		stalls += poisson(rng, window/w.every)
	}
	together, length := w.deviate(rng), math.Exp(0.2*rng.NormFloat64())
	var last float64
	for i, p := range []float64{50, 99, 99.9, 100} {
		ms, more := []float64{1, 5, 10, 30}[i]*or1(by.scale), []float64{1, 1, 1.5, 2}[i]
		if p > 50 {
			ms *= or1(by.tail)
		}
		ms *= math.Exp(w.noise * more * (together + w.deviate(rng)) / math.Sqrt2)
		for q := 99.1; p == 99.9 && q < 99.85; q += 0.1 { // where pauses begin to be seen
			part := -math.Log10(100 - q)
			w.row(c, q, math.Pow(last, 1-part)*math.Pow(ms, part), length*stalled(q, window, stalls), stalls)
		}
		last = ms
		w.row(c, p, ms, length*stalled(p, window, stalls), stalls)
	}
	c.Response.Count, c.Response.MaxNS = messages, *c.Response.Percentiles[len(c.Response.Percentiles)-1].ValueNS
	c.Ledger = results.Ledger{Due: messages, Done: messages}
	if by.lossy == 0 || rng.Float64() < by.lossy {
		loses(c, by.lost)
	}
	if !w.blind {
		c.Pauses = &results.Pauses{LeastNS: 1e8, Count: int64(stalls), Seconds: int64(stalls), WindowNS: int64(window * 1e9)}
	}
	return compare.Trial{Dir: "results/x", Cell: c}
}

// row adds a percentile, which pauses may have raised.
func (w world) row(c *results.Cell, p, ms, waits float64, stalls int) {
	row := results.Percentile{Percentile: p, SamplesAbove: int64(math.Round(messages * (1 - p/100))), Trusted: true}
	if waits > ms {
		row.Trusted = w.blind || stalls >= 10 || p == 100
	}
	row.ValueNS = new(int64(max(ms, waits) * 1e6))
	c.Response.Percentiles = append(c.Response.Percentiles, row)
}

func (w world) seconds() float64 {
	if w.window == 0 {
		return 60
	}
	return w.window
}

func (w world) deviate(rng *rand.Rand) float64 {
	if w.draw == nil {
		return rng.NormFloat64()
	}
	return w.draw(rng)
}

// stalled returns a percentile in ms of what came in so many pauses of 200 ms, if it
// is of those that did: see docs/methodology.md, coordinated omission.
func stalled(p, window float64, pauses int) float64 {
	const length = 200
	if pauses == 0 {
		return 0
	}
	return length - (1-p/100)*window*1000/float64(pauses)
}

// side makes so many runs.
func (w world) side(rng *rand.Rand, n int, c change) (trials []compare.Trial) {
	for i := range n {
		stalls := 0
		if i >= n-c.stalled {
			stalls = max(c.more, 1)
		}
		trials = append(trials, w.cell(rng, i+1, 1000, c, stalls))
	}
	return trials
}

func or1(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

// turns sets when runs began: those of both sides by turns, one side after the other, or by turns
// with BASE always first.
func turns(base, next []compare.Trial, order string) {
	began := time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	for i := range base {
		b, n := 2*i, 2*i+1
		switch {
		case order == "row":
			b, n = i, len(base)+i
		case order == "turns" && i%2 == 1:
			b, n = n, b
		}
		base[i].Cell.Started, next[i].Cell.Started = began.Add(time.Duration(b)*time.Minute), began.Add(time.Duration(n)*time.Minute)
	}
}

func poisson(rng *rand.Rand, mean float64) (n int) {
	for left := rng.ExpFloat64(); left < mean; left += rng.ExpFloat64() {
		n++
	}
	return n
}

// student returns a draw of Student's t with so many degrees of freedom, which has
// heavy tails; with 2 it has no variance.
func student(freedom int) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 {
		squares := 0.
		for range freedom {
			v := rng.NormFloat64()
			squares += v * v
		}
		return rng.NormFloat64() / math.Sqrt(squares/float64(freedom))
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// loses takes a share of the messages of a run.
func loses(c *results.Cell, share float64) {
	n := int64(share * float64(c.Ledger.Due))
	c.Ledger.Done, c.Ledger.Lost = c.Ledger.Done-n, n
}

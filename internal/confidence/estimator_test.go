package confidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// A score counts how the intervals and marks of a percentile did.
type score struct {
	runs, covered, open, geometric int
	right, falseMarks              int // off by less than a quarter; of them marked
	wrong, missed, unseen          int // off by more; of them unmarked; of these with a pause that is not excluded
	factors                        []float64
}

// estimate scores one percentile of repeats of so many seconds each.
func (c *score) estimate(series []*Series, repeats []Repeat, seconds int, p float64, truth time.Duration) {
	pool := NewPool(repeats...)
	v, _, _ := pool.Value(p)
	i, ok := pool.Interval(Level, p)
	events, _ := pool.Events(p)
	if !ok {
		i, _ = series[0].Interval(p, 0)
		events, _ = series[0].Events(p, 0)
	}
	c.runs++
	c.covered += count(i.holds(truth))
	c.open += count(!i.HighKnown)
	c.geometric += count(geometric(repeats, p).holds(truth))
	if i.HighKnown && i.LowKnown {
		c.factors = append(c.factors, float64(i.High)/float64(i.Low))
	}
	marked := events < MinEvents || i.Wide
	if math.Abs(math.Log(float64(v)/float64(truth))) < math.Log(1.25) {
		c.right, c.falseMarks = c.right+1, c.falseMarks+count(marked)
		return
	}
	pause := 200 * time.Millisecond // see results.Unseen
	unseen := -math.Log(0.05)*(pause-v).Seconds()/float64(seconds*len(repeats)) > 1-p/100
	c.wrong, c.missed, c.unseen = c.wrong+1, c.missed+count(!marked), c.unseen+count(!marked && unseen)
}

// holds reports whether the truth is in the interval, or off it by no more than the truth is
// uncertain.
func (i Interval) holds(truth time.Duration) bool {
	slack := truth / 200
	return (!i.LowKnown || i.Low <= truth+slack) && (!i.HighKnown || truth-slack <= i.High)
}

// geometric is the estimator that pools replaced: the geometric mean of the repeats'
// percentiles, with Student's t on their logarithms.
func geometric(repeats []Repeat, p float64) Interval {
	var logs []float64
	for _, r := range repeats {
		v, _ := r.value(rankOf(p, r.due()))
		logs = append(logs, math.Log(float64(v)))
	}
	mean, variance := stats.Moments(logs)
	half := stats.StudentQuantile(Level, float64(len(logs)-1)) * math.Sqrt(variance/float64(len(logs)))
	if len(logs) == 1 {
		return Interval{}
	}
	return Interval{Low: time.Duration(math.Exp(mean - half)), High: time.Duration(math.Exp(mean + half)), LowKnown: true, HighKnown: true}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

var (
	estimated = []float64{99, 99.9}
	windows   = []int{30}
	howMany   = []int{1, 3, 5, 20}
)

// scores simulates runs of a system: by window, number of repeats and percentile.
func (s system) scores(runs int, lengths []int) map[[3]int]*score {
	all, mu, work := make(map[[3]int]*score), sync.Mutex{}, sync.WaitGroup{}
	truths := s.truths(lengths)
	for key := range truths {
		all[key] = new(score)
	}
	for worker := range 2 {
		work.Go(func() {
			for run := worker; run < runs; run += 2 {
				rng := rand.New(rand.NewPCG(uint64(run), 5))
				series, repeats := make([][]*Series, len(lengths)), make([][]Repeat, len(lengths))
				for r := range howMany[len(howMany)-1] {
					for w, one := range s.run(rng, r, lengths) {
						series[w], repeats[w] = append(series[w], one), append(repeats[w], repeatOf(one))
					}
				}
				mu.Lock()
				for key, truth := range truths {
					w, n := key[0], howMany[key[1]]
					all[key].estimate(series[w], repeats[w][:n], lengths[w], estimated[key[2]], truth)
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return all
}

func (s system) truths(lengths []int) map[[3]int]time.Duration {
	truths := make(map[[3]int]time.Duration)
	var list []time.Duration
	for w, seconds := range lengths {
		for n, repeats := range howMany {
			if list == nil || !s.stationary {
				list = s.truth(seconds, repeats, estimated)
			}
			for p := range estimated {
				truths[[3]int{w, n, p}] = list[p]
			}
		}
	}
	return truths
}

func repeatOf(s *Series) Repeat {
	events := make(map[float64]float64)
	for _, p := range estimated {
		events[p], _ = s.Events(p, 0)
	}
	return NewRepeat(s.Values().Buckets(), 0, func(p float64) float64 { return events[p] })
}

// TestSimulatedEstimator is the proof that percentiles of pooled repeats are inside their
// intervals, where geometric means are not. Without -long it tries two systems.
func TestSimulatedEstimator(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, ten times slower: run it without the race detector")
	}
	page := simulation.NewPage(t, "estimator", estimatorPage)
	if !*simulation.Long {
		for _, s := range systems() {
			if s.name != "200 ms every 30 s" && s.name != "one connection of ten ×3" {
				continue
			}
			c := s.scores(20, []int{30})[[3]int{0, 3, 1}]
			if c.covered < 17 || c.falseMarks+c.missed > 3 {
				t.Errorf("p99.9 of 20 × 30 s of %s: %+v", s.name, c)
			}
			if s.name == "200 ms every 30 s" && c.geometric > 10 {
				t.Errorf("the geometric mean covers %d of 20: this system does not tell estimators apart", c.geometric)
			}
		}
		return
	}
	list, all := systems(), make([]map[[3]int]*score, len(systems()))
	for i, s := range list {
		all[i] = s.scores(simulated, windows)
	}
	for p, percentile := range estimated {
		for w, seconds := range windows {
			page.Table(fmt.Sprintf("p%v of windows of %d s.", percentile, seconds), "system", "covered, %", "open above, %", "interval, high/low",
				"geometric mean: covered, %", "marked though right", "unmarked though wrong", "… that say °")
			for i, s := range list {
				page.Row(append([]string{s.name}, columns(all[i], w, p)...)...)
			}
		}
	}
}

const simulated = 25 // runs of each system

const estimatorPage = `# Does the one estimator hold?

25 runs each of simulated systems at 500 messages/s, in 1 · 3 · 5 · 20 repeats. *Covered*: the 95 % interval of the percentile of all repeats
together holds the true one; an open bound excludes nothing. *Interval*: the median factor between closed bounds. *Geometric mean*: the
estimator used before. A number is *wrong* if it is off by a quarter or more. *Marked* is ~: fewer than 3 independent events, or an interval
wider than a factor of two or open. *°* is the mark for pauses that the time does not exclude. Made by ` + "`go test ./internal/confidence -run SimulatedEstimator -args -long`" + `.`

// columns writes the scores of a system, each for all numbers of repeats.
func columns(all map[[3]int]*score, w, p int) []string {
	cells := make([][]string, 7)
	for n := range howMany {
		c := all[[3]int{w, n, p}]
		old, factor := fmt.Sprint(100*c.geometric/c.runs), "-"
		if n == 0 {
			old = "-"
		}
		if len(c.factors) > 0 {
			factor = fmt.Sprintf("%.2f", stats.Median(c.factors))
		}
		for i, text := range []string{
			fmt.Sprint(100 * c.covered / c.runs), fmt.Sprint(100 * c.open / c.runs), factor, old,
			fmt.Sprintf("%d/%d", c.falseMarks, c.right), fmt.Sprintf("%d/%d", c.missed, c.wrong), fmt.Sprint(c.unseen),
		} {
			cells[i] = append(cells[i], text)
		}
	}
	var joined []string
	for _, list := range cells {
		joined = append(joined, strings.Join(list, " · "))
	}
	return joined
}

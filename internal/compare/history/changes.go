package history

import (
	"cmp"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// Least is the smallest number of runs on either side of a change: one or two odd runs are
// not a change.
const Least = 3

// Needed is how many runs a series needs. Of 8 equal runs, 4 are by chance above the 4
// others in 2 of 70 series; with 7 it would be more than 5 %.
const Needed = 8

// A found is a change: the index of the first value after it, and its p.
type found struct {
	at int
	p  float64
}

// changes returns the changes of a series, in ascending order. It splits the series
// where its parts differ most, and then the parts, as long as the difference is
// shown (Matteson & James, A nonparametric approach for multiple change point analysis of
// multivariate data, JASA 109, 2014).
func changes(values []float64, draw chance) []found {
	list := split(values, 0, draw)
	slices.SortFunc(list, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	return list
}

// split splits a part of the series that begins at offset.
func split(values []float64, offset int, draw chance) (list []found) {
	if len(values) < Needed {
		return nil
	}
	cuts, p := test(values, draw)
	if p > 1-Confidence {
		return nil
	}
	from := 0
	for _, to := range append(cuts, len(values)) {
		if from > 0 {
			list = append(list, found{offset + from, p})
		}
		list = append(list, split(values[from:to], offset+from, draw)...)
		from = to
	}
	return list
}

// The shares of the 5 % for steps and for episodes. Most changes are steps.
const (
	stepShare    = 0.8
	episodeShare = 1 - stepShare
)

// test returns where a series may change, and its p-value: how often a series without a
// change looks as changed. A change is a step from one level to another, or an episode
// after which the level is as before.
func test(values []float64, draw chance) (cuts []int, p float64) {
	scores := stats.NormalScores(values)
	cuts, p = significance(scores, step, draw)
	p = min(1, p/stepShare)
	if p <= 1-Confidence || len(values) > mostForEpisodes {
		return cuts, p
	}
	between, q := significance(scores, episode, draw)
	if q /= episodeShare; q < p {
		return between, q
	}
	return cuts, p
}

// mostForEpisodes bounds the computing time: all pairs of beginning and end are tried.
const mostForEpisodes = 250

// A statistic returns the cuts between which scores differ most, and by how much: the
// squared difference of the means, divided by its variance if that of the scores is 1.
type statistic func(scores []float64) (cuts []int, most float64)

// step cuts the scores once.
func step(scores []float64) (cuts []int, most float64) {
	sums := sumsOf(scores)
	at, most := 0, -1.0
	for i := Least; i <= len(scores)-Least; i++ {
		if d := difference(sums, 0, i); d > most {
			at, most = i, d
		}
	}
	return []int{at}, most
}

// episode cuts them twice: before and after it the level is the same.
func episode(scores []float64) (cuts []int, most float64) {
	sums := sumsOf(scores)
	from, to, most := 0, 0, -1.0
	for i := Least; i <= len(scores)-2*Least; i++ {
		for j := i + Least; j <= len(scores)-Least; j++ {
			if d := difference(sums, i, j); d > most {
				from, to, most = i, j, d
			}
		}
	}
	if most < 0 {
		return nil, 0 // too few for an episode
	}
	return []int{from, to}, most
}

// sumsOf returns the sums of the first 0, 1, 2 … scores.
func sumsOf(scores []float64) []float64 {
	sums := make([]float64, 1, len(scores)+1)
	for i, v := range scores {
		sums = append(sums, sums[i]+v)
	}
	return sums
}

// difference compares the scores from i to j with the others.
func difference(sums []float64, i, j int) float64 {
	n := len(sums) - 1
	inside := float64(j-i) / float64(n)
	d := sums[j] - sums[i] - inside*sums[n]
	return d * d / (float64(n) * inside * (1 - inside))
}

// alarm marks the changes for the worse that are new, and shown when all series are
// judged together (see [stats.Holm]). Series without a change count, too.
func (h *History) alarm() {
	var fresh []*Change
	for i := range h.Cells {
		for j := range h.Cells[i].Metrics {
			if c := h.Cells[i].Metrics[j].newest(h.Newest); c != nil {
				fresh = append(fresh, c)
			}
		}
	}
	slices.SortStableFunc(fresh, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	for i, c := range fresh {
		if c.P > h.LeastP/float64(h.Judged-i) {
			break
		}
		c.Alarm = true
	}
}

// newest returns the change for the worse with at most so many runs after it, or nil.
func (m *Metric) newest(runs int) *Change {
	if len(m.Changes) == 0 {
		return nil
	}
	if c := &m.Changes[len(m.Changes)-1]; c.Worse && c.RunsAfter <= runs {
		return c
	}
	return nil
}

// Alarms names the series with a new change for the worse: "p99 of nats, 1 KiB at 1,000/s".
func (h *History) Alarms() (names []string) {
	for _, c := range h.Cells {
		for _, m := range c.Metrics {
			if slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Alarm }) {
				names = append(names, m.Name+" of "+c.Title())
			}
		}
	}
	return names
}

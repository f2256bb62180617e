package results

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/exact"
)

// Pauses are the times at which responses took so long that the target, or something
// on the way to it, stood still. An unbroken run of seconds with such responses is one
// pause: two within a second cannot be told apart.
type Pauses struct {
	LeastNS    int64   `json:"least_ns"` // what counts: a response at least as long
	Count      int64   `json:"count"`
	Seconds    int64   `json:"seconds"`                 // in which such responses came
	WindowNS   int64   `json:"window_ns"`               // how long was looked
	AtMostPerS float64 `json:"at_most_per_s,omitempty"` // bounds their rate from above, with 95 % confidence, if they come at random; absent: there is no bound
	Longest    []Pause `json:"longest,omitempty"`
}

// A Pause is one of the longest, at most a hundred, in the order of time.
type Pause struct {
	AtNS  int64 `json:"at_ns"`  // from the first due: where the second begins in which it ended
	ForNS int64 `json:"for_ns"` // the longest response
}

// PooledPauses are those of repeats together.
type PooledPauses struct {
	In         int     `json:"in"`       // so many repeats had any …
	Of         int     `json:"of"`       // … of those in which they were looked for
	LeastNS    int64   `json:"least_ns"` // the smallest of theirs
	Count      int64   `json:"count"`
	Seconds    int64   `json:"seconds"`
	WindowNS   int64   `json:"window_ns"`
	AtMostPerS float64 `json:"at_most_per_s,omitempty"`
}

// pool adds up the pauses of repeats; nil if none of them was looked at.
func pool(cells []*Cell) *PooledPauses {
	var sum PooledPauses
	bounded := true
	for _, c := range cells {
		if c.Pauses == nil {
			continue
		}
		if sum.Of++; c.Pauses.Count > 0 {
			sum.In++
		}
		if sum.LeastNS == 0 || c.Pauses.LeastNS < sum.LeastNS {
			sum.LeastNS = c.Pauses.LeastNS
		}
		bounded = bounded && c.Pauses.AtMostPerS > 0
		sum.Count, sum.Seconds, sum.WindowNS = sum.Count+c.Pauses.Count, sum.Seconds+c.Pauses.Seconds, sum.WindowNS+c.Pauses.WindowNS
	}
	if sum.Of == 0 {
		return nil
	}
	if bounded {
		sum.AtMostPerS = PausesAtMost(sum.Seconds, sum.WindowNS/1e9)
	}
	return &sum
}

// PausesAtMost bounds the rate of pauses that come at random, with 95 % confidence, if so
// many of some seconds had one: in a Poisson process a second has none with a probability
// of e^−rate. It is 0 if there is no bound, as each second had one.
func PausesAtMost(with, seconds int64) float64 {
	_, share := exact.Share(float64(min(with, seconds)), float64(seconds), 0.9) // 5 % are above it
	if share >= 1 {
		return 0
	}
	return -math.Log1p(-share)
}

// Steady says how response times moved over the window.
type Steady struct {
	P50Change  float64 `json:"p50_change"`     // without the cold part: the end of the fitted trend over its beginning; 1.35: it rose by 35 %
	Sure       bool    `json:"sure"`           // chance alone shows such a trend in less than 1 of 100 windows, and it is 20 % or more
	GrowsNSPer float64 `json:"grows_ns_per_s"` // by how much the shortest waits grew each second; 0 unless the queue diverges
	CapacityPS float64 `json:"capacity_per_s"` // what the target did, by that; 0 unless the queue diverges
	ColdNS     int64   `json:"cold_ns"`        // how long the window's beginning differs from the rest; 0: it does not
	ColdP50NS  int64   `json:"cold_p50_ns"`    // p50 there
	WarmP50NS  int64   `json:"warm_p50_ns"`    // and after it
}

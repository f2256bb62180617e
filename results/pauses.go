package results

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/internal/confidence"
)

// Pauses are times at which responses took so long that the target, or something on the way
// to it, must have stopped. Consecutive seconds with such responses are one pause: two
// within a second cannot be told apart.
type Pauses struct {
	LeastNS    int64   `json:"least_ns"` // the shortest response that counts
	Count      int64   `json:"count"`
	Seconds    int64   `json:"seconds"`                 // with such responses
	WindowNS   int64   `json:"window_ns"`               // the time that was examined
	AtMostPerS float64 `json:"at_most_per_s,omitempty"` // upper 95 % bound of their rate, if they occur at random; absent: no bound
	Longest    []Pause `json:"longest,omitempty"`
}

// A Pause is one of the longest, at most a hundred, in the order of time.
type Pause struct {
	AtNS  int64 `json:"at_ns"`  // from the first due time to the beginning of the second in which it ended
	ForNS int64 `json:"for_ns"` // the longest response
}

// UnseenPause is the pause that a run must exclude, though it saw none. Garbage collectors, disks
// and elections commonly take as long.
const UnseenPause = 200 * time.Millisecond

// Unseen returns the share of the time that pauses of that length above a limit may take, though
// none came in the window: with 95 % confidence there are at most 3.0 in such a time on average.
func Unseen(window, limit time.Duration) float64 {
	return -math.Log(0.05) * max(UnseenPause-limit, 0).Seconds() / max(window.Seconds(), 1e-9)
}

// PooledPauses are the pauses of all repeats.
type PooledPauses struct {
	In         int     `json:"in"`       // the number of repeats that had any …
	Of         int     `json:"of"`       // … of those that were examined
	LeastNS    int64   `json:"least_ns"` // the smallest of theirs
	Count      int64   `json:"count"`
	Seconds    int64   `json:"seconds"`
	WindowNS   int64   `json:"window_ns"`
	AtMostPerS float64 `json:"at_most_per_s,omitempty"`
}

// pool adds up the pauses of repeats; nil if they are unknown in all of them.
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
		sum.AtMostPerS = confidence.PausesAtMost(sum.Seconds, sum.WindowNS/1e9)
	}
	return &sum
}

// Steady describes the trend of response times over the window.
type Steady struct {
	P50Change  float64 `json:"p50_change"`     // the end of the fitted trend divided by its beginning, without the cold part; 1.35: it rose by 35 %
	Sure       bool    `json:"sure"`           // chance produces such a trend in less than 2 of 100 windows, and it is at least 20 %
	GrowsNSPer float64 `json:"grows_ns_per_s"` // growth of the shortest waits per second; 0 unless the queue diverges
	// Undecided tells that a queue whose load is near the capacity of the target may grow like that
	// by chance, and shrink later.
	Undecided  bool     `json:"undecided,omitempty"`
	CapacityPS float64  `json:"capacity_per_s"`    // the capacity of the target, estimated from that; 0 unless the queue diverges
	ColdNS     int64    `json:"cold_ns"`           // how long the beginning of the window differs from the rest; 0: it does not
	ColdP50NS  int64    `json:"cold_p50_ns"`       // p50 there
	WarmP50NS  int64    `json:"warm_p50_ns"`       // and after it
	Level      *Level   `json:"level,omitempty"`   // when response times were on another level; absent: never
	Growing    *Growing `json:"growing,omitempty"` // connections that are overloaded; absent: none
}

// Growing are the connections whose queue grew all the time.
type Growing struct {
	Connections int     `json:"connections"`    // how many
	Of          int     `json:"of"`             // of this process
	GrowsNSPer  float64 `json:"grows_ns_per_s"` // the fastest growth of their shortest waits per second
}

// Diverges reports whether the queue grew all the time.
func (s *Steady) Diverges() bool { return s != nil && s.GrowsNSPer > 0 && !s.Undecided }

// A Level is a part of the window in which all response times were longer, or shorter, than in the
// rest of it.
type Level struct {
	FromNS    int64   `json:"from_ns"` // from the beginning of the window
	ToNS      int64   `json:"to_ns"`
	P50Change float64 `json:"p50_change"` // p50 in it over p50 in the rest
}

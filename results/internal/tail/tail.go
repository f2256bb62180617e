// Package tail holds what explains the worst response times of a cell.
package tail

// A Tail says whether the worst response times came when this process was not
// scheduled. Intervals counts those that hold a response of at least the threshold.
// WithHiccup counts those of them in which there was a hiccup of at least half the
// interval's longest response. Of the ordinary intervals, which hold no such response,
// OrdinaryWithHiccup counts those with a hiccup of at least half the threshold: hiccups
// that are as frequent in ordinary intervals explain nothing.
type Tail struct {
	ThresholdNS        int64 `json:"threshold_ns"` // reached by a tenth of the intervals, and by at least ten
	Intervals          int   `json:"intervals"`
	WithHiccup         int   `json:"with_hiccup"`
	Ordinary           int   `json:"ordinary"`
	OrdinaryWithHiccup int   `json:"ordinary_with_hiccup"`
	LargestHiccupNS    int64 `json:"largest_hiccup_ns"` // in the window
}

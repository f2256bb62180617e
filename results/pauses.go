package results

// Pauses are the times at which responses took so long that the target, or something
// on the way to it, stood still. An unbroken run of seconds with such responses is one
// pause: two within a second cannot be told apart.
type Pauses struct {
	LeastNS    int64   `json:"least_ns"` // what counts: a response at least as long
	Count      int64   `json:"count"`
	Seconds    int64   `json:"seconds"`       // in which such responses came
	WindowNS   int64   `json:"window_ns"`     // how long was looked
	AtMostPerS float64 `json:"at_most_per_s"` // bounds their rate from above, with 95 % confidence, if they come at random; 0: there is no bound
	Longest    []Pause `json:"longest,omitempty"`
}

// A Pause is one of the longest, at most a hundred, in the order of time.
type Pause struct {
	AtNS  int64 `json:"at_ns"`  // from the first due: where the second begins in which it ended
	ForNS int64 `json:"for_ns"` // the longest response
}

// Steady says how response times moved over the window.
type Steady struct {
	P50Change  float64 `json:"p50_change"`     // the end of the fitted trend over its beginning; 1.35: it rose by 35 %
	Sure       bool    `json:"sure"`           // chance alone shows such a trend in less than 1 of 100 windows, and it is 20 % or more
	GrowsNSPer float64 `json:"grows_ns_per_s"` // by how much the shortest waits grew each second; 0 unless the queue diverges
	CapacityPS float64 `json:"capacity_per_s"` // what the target did, by that; 0 unless the queue diverges
	ColdNS     int64   `json:"cold_ns"`        // how long the window's beginning differs from the rest; 0: it does not
	ColdP50NS  int64   `json:"cold_p50_ns"`    // p50 there
	WarmP50NS  int64   `json:"warm_p50_ns"`    // and after it
}

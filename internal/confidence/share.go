package confidence

import "github.com/brokerbench/brokerbench/internal/stats"

// A Cluster is a repeat, or another part of a sample, whose members are not independent of
// each other: so many of them count.
type Cluster struct{ Count, Of float64 }

// A share is a ratio of sums over clusters, and its variance from how they differ.
type share struct {
	count, of float64
	variance  float64 // of count
	freedom   float64
}

func newShare(clusters []Cluster) (s share) {
	for _, c := range clusters {
		s.count, s.of = s.count+c.Count, s.of+c.Of
	}
	for _, c := range clusters {
		excess := c.Count - s.count/s.of*c.Of
		s.variance += excess * excess
	}
	s.freedom = float64(len(clusters) - 1)
	s.variance *= float64(len(clusters)) / s.freedom
	return s
}

// effect returns how many times as much the count varies as that of independent members; 0
// if none or all count.
func (s share) effect() float64 {
	if s.count <= 0 || s.count >= s.of {
		return 0
	}
	return s.variance / (s.count * (1 - s.count/s.of))
}

// Share returns the share of all members that count, such as lost messages or seconds with
// a pause, with its interval: that of Clopper and Pearson for as many members as are
// independent. The interval of a share of 0 has an upper bound above 0. Two clusters or more.
func Share(level float64, clusters ...Cluster) (value, low, high float64) {
	s := newShare(clusters)
	if s.of <= 0 {
		return 0, 0, 1
	}
	e := designEffect{1, 1}
	e.include(s.effect(), s.freedom, level)
	low, high = stats.BinomialInterval(s.count/e.widened, s.of/e.widened, level)
	return s.count / s.of, low, high
}

package causes

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// A pause is a time in which messages were slow: from when its first message was due until its last was done. Times
// are nanoseconds from the first due of the cell.
type pause struct{ from, to, worst int64 }

const (
	mostPauses  = 40
	leastPauses = 5 // fewer are not judged: a coincidence of four proves little

	// shortest is the shortest pause that is judged: it lasts for two samples.
	shortest = 20 * time.Millisecond

	// leastOfWorst is the least length of a pause that is judged, as a share of the fifth longest. Shorter pauses often have
	// another cause, which says nothing about the worst.
	leastOfWorst = 0.25
)

// pausesOf joins the worst messages, the worst first, into pauses, which are at least two samples apart.
func pausesOf(s *cause.Samples, apart int64) (list []pause) {
	for _, m := range s.Worst {
		if m.ResponseNS < int64(shortest) || m.DueNS >= s.ToNS {
			continue
		}
		p := pause{m.DueNS, m.DueNS + m.ResponseNS, m.ResponseNS}
		kept := list[:0:0]
		for _, other := range list {
			if other.from > p.to+apart || other.to < p.from-apart {
				kept = append(kept, other)
				continue
			}
			p = pause{min(p.from, other.from), max(p.to, other.to), max(p.worst, other.worst)}
		}
		if len(kept) == len(list) && len(list) == mostPauses {
			break
		}
		list = append(kept, p)
	}
	slices.SortStableFunc(list, func(a, b pause) int { return cmp.Compare(b.worst, a.worst) })
	if len(list) < leastPauses {
		return list
	}
	least := int64(leastOfWorst * float64(list[leastPauses-1].worst))
	return slices.DeleteFunc(list, func(p pause) bool { return p.worst < least })
}

// The blocks of a permutation are at least a mostBlocks-th of the window, and at most a leastBlocks-th.
const (
	mostBlocks  = 60
	leastBlocks = 8
)

// blocks returns in how many blocks of equal length the window is cut. Pauses of a burst stay together: the blocks
// are longer than pauses, and become longer until the numbers of pauses in neighbours are not correlated.
func blocks(pauses []pause, from, to int64) int {
	n := mostBlocks
	for _, p := range pauses {
		n = min(n, int((to-from)/max(2*(p.to-p.from), 1)))
	}
	for n = max(n, leastBlocks); n > leastBlocks; n = max(n*3/4, leastBlocks) {
		if neighbours(pauses, from, to, n) < 0.5/math.Sqrt(float64(n)) {
			break
		}
	}
	return n
}

// neighbours returns the correlation of the numbers of pauses that begin in neighbouring blocks.
func neighbours(pauses []pause, from, to int64, n int) float64 {
	counts := make([]float64, n)
	for _, p := range pauses {
		counts[min(max(int((p.from-from)*int64(n)/(to-from)), 0), n-1)]++
	}
	mean := float64(len(pauses)) / float64(n)
	var variance, covariance float64
	for i, c := range counts {
		variance += (c - mean) * (c - mean)
		covariance += (c - mean) * (counts[(i+1)%n] - mean)
	}
	return covariance / max(variance, 1e-9)
}

package results

import "github.com/brokerbench/brokerbench/results/internal/total"

// TotalUsage sums up consecutive intervals into the window from the start of the first to
// the end of the last:
//
//   - cores are averaged, weighted by the length of the intervals;
//   - counts and times are added;
//   - of maxima, and of values read at the end of an interval, the largest counts, also of
//     the 99th percentile: that of the window cannot exceed it.
//
// A value that is unknown in one interval is unknown in the window. Without intervals
// TotalUsage returns the zero value.
func TotalUsage(intervals []Usage) Usage {
	if len(intervals) == 0 {
		return Usage{}
	}
	var length int64
	for _, u := range intervals {
		length += u.length()
	}
	var sum total.Sum[Usage]
	for _, u := range intervals {
		weight := 1 / float64(len(intervals)) // intervals without a length weigh the same
		if length > 0 {
			weight = float64(u.length()) / float64(length)
		}
		sum.Add(u, weight)
	}
	all := sum.Value()
	all.FromNS, all.ToNS = intervals[0].FromNS, intervals[len(intervals)-1].ToNS
	return all
}

func (u Usage) length() int64 { return max(u.ToNS-u.FromNS, 0) }

// plus returns the sum, unknown if one of the two is.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// larger returns the larger of the two, unknown if one of them is.
func larger(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(max(*a, *b))
}

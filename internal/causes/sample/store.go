package sample

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// mostSamples bounds the samples of a cell: ten minutes at ten milliseconds. When there are more, two become one.
const mostSamples = 60_000

// leastTime is the least time that is written, in microseconds: less explains nothing that is judged.
const leastTime = 20

// A store holds the samples of all series in bounded memory.
type store struct {
	began  time.Duration
	ends   []int64 // of the samples, from the start
	series []*series
	each   int // readings in a sample: 1, 2, 4 …
	open   int // readings in the last sample
}

// A series has the samples of one possible cause.
type series struct {
	cause, where, kind, unit string
	values                   []uint32
}

// grow makes room for so many readings. If there are too many, a sample has several from the beginning: to make one of two
// later takes some milliseconds.
func (s *store) grow(readings int) {
	for s.each = 1; readings/s.each > mostSamples; s.each *= 2 {
	}
	n := readings / s.each
	s.ends = slices.Grow(s.ends, n)
	for _, one := range s.series {
		one.values = slices.Grow(one.values, n)
	}
}

// begin is called before the first sample.
func (s *store) begin(at time.Duration) { s.began, s.each = at, max(s.each, 1) }

// add ends a reading: it begins a sample or makes the last one longer, until it has enough readings.
func (s *store) add(end time.Duration, values []int64) {
	if s.open > 0 && s.open < s.each {
		s.ends[len(s.ends)-1] = int64(end)
		s.open++
	} else {
		if len(s.ends) >= mostSamples {
			s.halve()
		}
		s.ends, s.open = append(s.ends, int64(end)), 1
		for _, one := range s.series {
			one.values = append(one.values, 0)
		}
	}
	if values != nil {
		s.set(values)
	}
}

// set adds the values of a reading to the last sample.
func (s *store) set(values []int64) {
	for i, one := range s.series {
		one.put(len(s.ends)-1, values[i])
	}
}

// back adds a value that belongs to the last readings: a time in proportion to how long they took, another one to each.
func (s *store) back(i int, value int64, readings int) {
	if value == 0 {
		return
	}
	first := len(s.ends) - min(len(s.ends), max(1, readings/s.each))
	whole, left := s.ends[len(s.ends)-1]-s.before(first), value
	for k := first; k < len(s.ends); k++ {
		if s.series[i].kind != cause.Time {
			s.series[i].put(k, value)
			continue
		}
		part := left // the last has what rounding left
		if k < len(s.ends)-1 {
			part = value * (s.ends[k] - s.before(k)) / max(whole, 1)
		}
		s.series[i].put(k, part)
		left -= part
	}
}

// before returns when a sample begins.
func (s *store) before(sample int) int64 {
	if sample == 0 {
		return int64(s.began)
	}
	return s.ends[sample-1]
}

// put adds a value to a sample; of levels it keeps the higher.
func (s *series) put(sample int, value int64) {
	if sample < 0 {
		return
	}
	v := &s.values[sample]
	if s.kind == cause.Level {
		*v = max(*v, bound(value))
		return
	}
	*v = bound(int64(*v) + value)
}

func bound(v int64) uint32 { return uint32(min(max(v, 0), math.MaxUint32)) }

// halve makes one sample of two.
func (s *store) halve() {
	s.each *= 2
	half := len(s.ends) / 2
	for i := range half {
		s.ends[i] = s.ends[2*i+1]
	}
	s.ends = s.ends[:half]
	for _, one := range s.series {
		for i := range half {
			a, b := int64(one.values[2*i]), int64(one.values[2*i+1])
			one.values[i] = bound(a)
			one.put(i, b)
		}
		one.values = one.values[:half]
	}
}

// describe writes the samples. A series without any value is written, too: it was sampled.
func (s *store) describe(to *cause.Samples) {
	to.Samples = len(s.ends)
	to.EndsNS = append(to.EndsNS, int64(s.began))
	last := int64(s.began)
	for _, end := range s.ends {
		to.EndsNS = append(to.EndsNS, end-last)
		last = end
	}
	for _, one := range s.series {
		r := cause.Series{Cause: one.cause, Where: one.where, Kind: one.kind, Unit: one.unit, Gaps: []int{}, Value: []int64{}}
		for i, v := range one.values {
			if v > 0 && (one.kind != cause.Time || v >= leastTime) {
				r.Put(i, int64(v))
			}
		}
		to.Series = append(to.Series, r)
	}
}

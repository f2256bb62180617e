package histogram

import (
	"errors"
	"fmt"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range and precision of every histogram that [New] makes.
const (
	Lowest  = time.Nanosecond
	Highest = time.Hour
	Digits  = 3
)

// A Histogram counts durations in buckets that are narrower than a thousandth of
// their value. Make one with [New]. It is not safe for concurrent use: see
// [Recorder].
//
// A histogram that was read from a file keeps the range and the precision of its
// writer.
type Histogram struct {
	// By value, so that Record touches one object and follows one pointer, to the
	// counts. No other copy of it is in use.
	hdr     hdr.Histogram
	min     int64 // exact; MaxInt64 if there are no values
	max     int64
	clamped int64
}

// New returns an empty histogram of three significant digits from 1 ns to 1 h.
// Its 270 kB become resident when they are touched.
func New() *Histogram {
	h := empty()
	return &h
}

// empty returns a Histogram by value, for a place where it stays.
func empty() Histogram {
	return Histogram{hdr: *hdr.New(int64(Lowest), int64(Highest), Digits), min: math.MaxInt64}
}

// wrap takes over a histogram of the library. Its exact smallest and largest
// values are lost, so the bounds of their buckets stand in for them.
func wrap(inner *hdr.Histogram) *Histogram {
	h := &Histogram{hdr: *inner, min: math.MaxInt64}
	if inner.TotalCount() > 0 {
		h.min, h.max = inner.Min(), inner.Max()
	}
	return h
}

// Record counts v. It allocates nothing. A value above [Highest] is counted as
// [Highest], and a negative one, which no clock should give, as 0;
// [Histogram.Clamped] counts both.
func (h *Histogram) Record(v time.Duration) {
	value := int64(v)
	if limit := h.hdr.HighestTrackableValue(); value < 0 || value > limit {
		value = min(max(value, 0), limit)
		h.clamped++
	}
	h.add(value, 1)
	h.min, h.max = min(h.min, value), max(h.max, value)
}

// add counts a value that is in range.
func (h *Histogram) add(value, count int64) {
	if err := h.hdr.RecordValues(value, count); err != nil {
		panic("histogram: " + err.Error()) // more than MaxInt64 values, which takes 3,000 years
	}
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.hdr.TotalCount() }

// Clamped returns how many values were outside the range and are counted at its
// ends.
func (h *Histogram) Clamped() int64 { return h.clamped }

// Min returns the smallest value. It is exact if it was recorded, here or in a
// histogram that was merged, and the lower bound of its bucket if it was read from
// a file. It is 0 if there are no values.
func (h *Histogram) Min() time.Duration {
	if h.Count() == 0 {
		return 0
	}
	return time.Duration(h.min)
}

// Max returns the largest value. It is exact if it was recorded, here or in a
// histogram that was merged, and the upper bound of its bucket if it was read from
// a file. It is 0 if there are no values.
func (h *Histogram) Max() time.Duration { return time.Duration(h.max) }

// Mean returns the arithmetic mean, in which the middle of a bucket stands for
// its values.
func (h *Histogram) Mean() time.Duration {
	mean, _ := h.moments()
	return time.Duration(math.Round(mean))
}

// StdDev returns the standard deviation of the population, with the same
// approximation as [Histogram.Mean].
func (h *Histogram) StdDev() time.Duration {
	_, deviation := h.moments()
	return time.Duration(math.Round(deviation))
}

// moments returns mean and standard deviation in nanoseconds. It adds in the same
// order as Java, so that the last printed digit is the same. The conversions keep
// the compiler from fusing operations, which would round differently.
func (h *Histogram) moments() (mean, deviation float64) {
	if h.Count() == 0 {
		return 0, 0
	}
	g, n := geometryOf(&h.hdr), float64(h.Count())
	for v, count := range h.recorded() {
		mean += float64(float64(g.median(v)) * float64(count))
	}
	mean /= n
	for v, count := range h.recorded() {
		d := float64(g.median(v)) - mean
		deviation += float64(d * d * float64(count))
	}
	return mean, math.Sqrt(deviation / n)
}

// Reset forgets all values.
func (h *Histogram) Reset() {
	if h.Count() > 0 { // otherwise all counts are 0, and perhaps not even resident
		h.hdr.Reset()
	}
	h.min, h.max, h.clamped = math.MaxInt64, 0, 0
}

// Clone returns a copy that shares nothing with h.
func (h *Histogram) Clone() *Histogram {
	c := *h
	c.hdr = *h.hdr.Clone()
	return &c
}

// Merge adds the counts of other, which stays as it is. If h cannot hold all of
// them without loss, Merge returns an error and adds nothing.
func (h *Histogram) Merge(other *Histogram) error {
	if other.Count() == 0 {
		h.clamped += other.clamped
		return nil
	}
	if err := h.accepts(other); err != nil {
		return err
	}
	if dropped := h.hdr.Merge(&other.hdr); dropped > 0 {
		return fmt.Errorf("merging %d values dropped %d", other.Count(), dropped)
	}
	h.min, h.max = min(h.min, other.min), max(h.max, other.max)
	h.clamped += other.clamped
	return nil
}

// accepts returns an error if other cannot be added to h without loss.
func (h *Histogram) accepts(other *Histogram) error {
	mine, theirs := &h.hdr, &other.hdr
	switch {
	case geometryOf(mine) != geometryOf(theirs):
		return fmt.Errorf("merging values of %d digits from %v into %d digits from %v: the buckets differ",
			theirs.SignificantFigures(), time.Duration(theirs.LowestTrackableValue()),
			mine.SignificantFigures(), time.Duration(mine.LowestTrackableValue()))
	case other.max > h.reach():
		return fmt.Errorf("merging values up to %v into a histogram up to %v",
			other.Max(), time.Duration(mine.HighestTrackableValue()))
	case h.Count() > math.MaxInt64-other.Count():
		return errors.New("merging more values than can be counted")
	}
	return nil
}

// reach is the highest value of h's last bucket.
func (h *Histogram) reach() int64 {
	g := geometryOf(&h.hdr)
	return g.highest(h.hdr.HighestTrackableValue())
}

// Corrected returns a copy that is corrected for coordinated omission after the
// fact, as Java's copyCorrectedForCoordinatedOmission does. For every value v above
// the expected interval i it adds the values v−i, v−2i, … ≥ i, which a sender that
// did not wait might have measured. The result is that of HdrHistogram's
// RecordCorrectedValue, to within the width of a bucket.
//
// It is a guess, and only makes sense if messages were sent one at a time at a
// steady interval. An interval of 0 or less corrects nothing.
func (h *Histogram) Corrected(interval time.Duration) *Histogram {
	c := h.Clone()
	if interval <= 0 {
		return c
	}
	g, step := geometryOf(&h.hdr), int64(interval)
	for v, count := range h.recorded() {
		// As many steps at once as stay within one bucket: an hour back-filled
		// every 50 µs is 72 million steps, but at most 24,000 buckets.
		for missing := g.highest(v) - step; missing >= step; missing -= step {
			steps := (missing-max(g.lowest(missing), step))/step + 1
			c.add(missing, count*steps)
			missing -= (steps - 1) * step
			c.min = min(c.min, missing)
		}
	}
	return c
}

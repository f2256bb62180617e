package histogram

import (
	"errors"
	"fmt"
	"math"
	"time"
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
//
// A histogram knows its first and last bucket with values, and adding, emptying and
// walking it only visits the buckets between: a second of latencies has some thousands of the
// 34,000. Package hdrhistogram-go, which has the same buckets, walks all of them.
type Histogram struct {
	geometry
	counts      []int64
	first, last int // the touched buckets; last < first if there are none
	count       int64
	min         int64 // exact; MaxInt64 if there are no values
	max         int64
	clamped     int64
}

// New returns an empty histogram of three significant digits from 1 ns to 1 h.
// Its 270 kB become resident when they are touched.
func New() *Histogram {
	h := newHistogram(newGeometry(int64(Lowest), int64(Highest), Digits))
	return &h
}

// NewResident is [New], with all memory resident: recording a rare value causes no page
// fault during a measurement, and the process does not seem to grow in a long run because
// rarer and rarer values come.
func NewResident() *Histogram {
	h := resident()
	return &h
}

// resident returns a Histogram by value, for a place where it stays.
func resident() Histogram {
	h := newHistogram(newGeometry(int64(Lowest), int64(Highest), Digits))
	clear(h.counts) // writes to each page
	return h
}

func newHistogram(g geometry) Histogram {
	counts := make([]int64, g.buckets())
	return Histogram{geometry: g, counts: counts, first: len(counts), last: -1, min: math.MaxInt64}
}

// Record counts v. It allocates nothing. A value above [Highest] is counted as
// [Highest], and a negative one, which no clock should give, as 0;
// [Histogram.Clamped] counts both.
func (h *Histogram) Record(v time.Duration) {
	value := int64(v)
	if value < 0 || value > h.top {
		value = min(max(value, 0), h.top)
		h.clamped++
	}
	h.add(value, 1)
	h.min, h.max = min(h.min, value), max(h.max, value)
}

// add counts a value that is in range.
func (h *Histogram) add(value, count int64) {
	i := h.index(value)
	h.counts[i] += count
	h.first, h.last = min(h.first, i), max(h.last, i)
	h.count += count
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.count }

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

// Moments returns the arithmetic mean, in which the middle of a bucket stands for
// its values, and the standard deviation of the population. Each touched bucket is
// visited twice, which takes longer than a percentile.
func (h *Histogram) Moments() (mean, deviation time.Duration) {
	m, d := h.moments()
	return time.Duration(math.Round(m)), time.Duration(math.Round(d))
}

// Mean returns the mean of [Histogram.Moments].
func (h *Histogram) Mean() time.Duration {
	mean, _ := h.Moments()
	return mean
}

// moments returns mean and standard deviation in nanoseconds. It adds in the same
// order as Java, so that the last printed digit is the same. The conversions keep
// the compiler from fusing operations, which would round differently.
func (h *Histogram) moments() (mean, deviation float64) {
	if h.Count() == 0 {
		return 0, 0
	}
	n := float64(h.Count())
	for v, count := range h.recorded() {
		mean += float64(float64(h.median(v)) * float64(count))
	}
	mean /= n
	for v, count := range h.recorded() {
		d := float64(h.median(v)) - mean
		deviation += float64(d * d * float64(count))
	}
	return mean, math.Sqrt(deviation / n)
}

// Reset forgets all values.
func (h *Histogram) Reset() {
	clear(h.touched())
	h.first, h.last, h.count = len(h.counts), -1, 0
	h.min, h.max, h.clamped = math.MaxInt64, 0, 0
}

// touched returns the counts from the first to the last bucket that was touched.
func (h *Histogram) touched() []int64 {
	if h.last < h.first {
		return nil
	}
	return h.counts[h.first : h.last+1]
}

// Clone returns a copy that shares nothing with h.
func (h *Histogram) Clone() *Histogram {
	c := *h
	c.counts = make([]int64, len(h.counts))
	copy(c.counts[min(h.first, len(h.counts)):], h.touched())
	return &c
}

// Merge adds the counts of other and does not change other. If h cannot hold all of
// them without loss, Merge returns an error and adds nothing.
func (h *Histogram) Merge(other *Histogram) error {
	if other.Count() == 0 {
		h.clamped += other.clamped
		return nil
	}
	if err := h.accepts(other); err != nil {
		return err
	}
	for i, count := range other.touched() {
		h.counts[other.first+i] += count
	}
	h.first, h.last, h.count = min(h.first, other.first), max(h.last, other.last), h.count+other.count
	h.min, h.max = min(h.min, other.min), max(h.max, other.max)
	h.clamped += other.clamped
	return nil
}

// accepts returns an error if other cannot be added to h without loss.
func (h *Histogram) accepts(other *Histogram) error {
	switch {
	case h.sub != other.sub || h.unit != other.unit:
		return fmt.Errorf("merging values of %d digits from %v into %d digits from %v: the buckets differ",
			other.digits, time.Duration(other.low), h.digits, time.Duration(h.low))
	case other.max > h.reach():
		return fmt.Errorf("merging values up to %v into a histogram up to %v",
			other.Max(), time.Duration(h.top))
	case h.Count() > math.MaxInt64-other.Count():
		return errors.New("merging more values than can be counted")
	}
	return nil
}

// reach is the highest value of h's last bucket.
func (h *Histogram) reach() int64 { return h.highest(h.top) }

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
	step := int64(interval)
	for v, count := range h.recorded() {
		// As many steps at once as stay within one bucket: an hour back-filled
		// every 50 µs is 72 million steps, but at most 24,000 buckets.
		for missing := h.highest(v) - step; missing >= step; missing -= step {
			steps := (missing-max(h.lowest(missing), step))/step + 1
			c.add(missing, count*steps)
			missing -= (steps - 1) * step
			c.min = min(c.min, missing)
		}
	}
	return c
}

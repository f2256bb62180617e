package schedule

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Rate is in messages per second. Between [MinRate] and [MaxRate] it stands for
// exactly the nearest thousandth of a message an hour: 0.1 is six a minute, without
// the rounding of the float. So it can be a constant of Go, a number of JSON and the
// key of a map, and a schedule that follows it does not drift.
type Rate float64

// Units of [RateOf], in thousandths of a message an hour.
const (
	PerHour   = 1000
	PerMinute = 60 * PerHour
	PerSecond = 60 * PerMinute
)

// The limits of a rate: one message an hour, and one a nanosecond.
const (
	MinRate = Rate(1.0 / 3600)
	MaxRate = Rate(1e9)
)

// RateOf returns a rate in thousandths of a message an hour: RateOf(6*PerMinute) is
// 0.1. Two numbers up to that of MaxRate never make the same rate.
func RateOf(thousandths int64) Rate { return Rate(float64(thousandths) / PerSecond) }

// Thousandths returns what RateOf takes; 0 if the rate is not valid.
//
// Doubles lie so close, up to MaxRate, that both roundings together are less than
// half of a thousandth.
func (r Rate) Thousandths() int64 {
	if !(r > 0 && r <= MaxRate) { // not a number is neither
		return 0
	}
	if n := int64(math.Round(float64(r) * PerSecond)); n >= PerHour {
		return n
	}
	return 0
}

// After returns when message n is due if all are spread evenly: n/rate, rounded
// down. Multiply before dividing: adding up a rounded interval drifts. ok is false
// beyond 292 years and at a rate that is not valid.
func (r Rate) After(n uint64) (due time.Duration, ok bool) {
	return evenDue(n, uint64(r.Thousandths()))
}

// evenDue returns when message n is due at a rate in thousandths; see [Rate.After].
func evenDue(n, thousandths uint64) (due time.Duration, ok bool) {
	hi, lo := bits.Mul64(n, PerSecond*uint64(time.Second))
	if hi >= thousandths {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, thousandths)
	return time.Duration(q), q <= math.MaxInt64
}

// String writes the rate as a plan file may have it, in the largest of seconds,
// minutes and hours in which it has few digits: 3000/s, 0.1/s, 7/m, 1/h.
func (r Rate) String() string {
	switch n := r.Thousandths(); {
	case n == 0: // not valid, and it may be anything
		return strconv.FormatFloat(float64(r), 'g', 12, 64) + "/s"
	case n%(PerSecond/100_000) == 0: // five decimals
		return decimal(float64(RateOf(n))) + "/s"
	case n%PerMinute == 0:
		return decimal(float64(n)/PerMinute) + "/m"
	default:
		return decimal(float64(n)/PerHour) + "/h"
	}
}

// Column is String without "/s", for columns whose head says so: 3000, 0.1, 7/m.
func (r Rate) Column() string { return strings.TrimSuffix(r.String(), "/s") }

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

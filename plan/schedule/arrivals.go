package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Arrivals is how messages are spread over time: [Constant], [Poisson], or the value
// of [Burst]. The zero value means [Constant].
type Arrivals string

// The arrivals that have no number. See [Burst] for those that do.
const (
	Constant Arrivals = "constant" // evenly: message n is due at n/rate
	Poisson  Arrivals = "poisson"  // independently: exponential gaps, as from many callers
)

// The limits of a burst. A burst of 1 message is constant; a burst above the limit
// is longer than most runs.
const (
	MinBurst = 2
	MaxBurst = 1_000_000
)

const burstPrefix = "burst:"

// Burst returns arrivals in groups of n messages, [MinBurst] to [MaxBurst], that are
// due at the same moment. The groups are spaced so that the mean rate is that of
// the schedule: message i is due at (i − i mod n)/rate. Burst is written burst:n.
func Burst(n int) Arrivals { return Arrivals(burstPrefix + strconv.Itoa(n)) }

// ParseArrivals reads arrivals as they are written. Its error lists the valid ones;
// the caller adds what was written instead.
func ParseArrivals(text string) (Arrivals, error) {
	a := Arrivals(text)
	if a == "" {
		return "", wantArrivals()
	}
	return a, a.Validate()
}

// Even reports whether messages are due at even distances: Constant, or "", which
// means it.
func (a Arrivals) Even() bool { return a == "" || a == Constant }

// InBursts reports whether messages are due in groups: neither Even nor [Poisson].
func (a Arrivals) InBursts() bool { return !a.Even() && a != Poisson }

// Validate reports unknown arrivals and lists the valid ones.
func (a Arrivals) Validate() error {
	number, isBurst := strings.CutPrefix(string(a), burstPrefix)
	switch {
	case a == "" || a == Constant || a == Poisson:
		return nil
	case isBurst || string(a)+":" == burstPrefix:
		return checkBurst(number, isBurst)
	}
	return wantArrivals()
}

func wantArrivals() error {
	return fmt.Errorf("want %s, %s or %sN", Constant, Poisson, burstPrefix)
}

// checkBurst checks the number of a burst. There is one way to write a number, so
// that the same arrivals are never measured under two names.
func checkBurst(number string, given bool) error {
	n, err := strconv.Atoi(number)
	switch {
	case !given || number == "":
		return errors.New("the number of messages is missing: want burst:N, such as burst:10")
	case errors.Is(err, strconv.ErrSyntax):
		return errors.New("the number of messages is not a whole number: want burst:N, such as burst:10")
	case err != nil || n < MinBurst || n > MaxBurst:
		return fmt.Errorf("a burst has %d to %d messages", MinBurst, MaxBurst)
	case number != strconv.Itoa(n):
		return fmt.Errorf("write it as %s", Burst(n))
	}
	return nil
}

// burst returns how many messages are due at once: 1 unless they come in bursts.
// The arrivals must be valid.
func (a Arrivals) burst() uint64 {
	number, ok := strings.CutPrefix(string(a), burstPrefix)
	if !ok {
		return 1
	}
	n, _ := strconv.ParseUint(number, 10, 64) // valid
	return n
}

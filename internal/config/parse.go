package config

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// Limits that keep a slip of the finger from becoming an experiment.
const (
	maxRepeat  = 10_000
	maxSenders = 1024
	// maxDuration keeps sums of durations far from overflowing.
	maxDuration = 365 * 24 * time.Hour
)

// number is a decimal number and its unit. Its length is bounded, and so is the
// cost of exact arithmetic.
var number = regexp.MustCompile(`^([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)$`)

// The units of sizes, in lower case, and of rates, where m would be a thousandth.
var (
	sizeUnits = map[string]int64{
		"": 1, "b": 1,
		"kb": 1e3, "mb": 1e6, "gb": 1e9,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
	}
	rateUnits = map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6}
	ratePer   = map[string]int64{"": schedule.PerSecond, "s": schedule.PerSecond, "m": schedule.PerMinute, "h": schedule.PerHour}
)

// ParseSize reads bytes as plan files write them: 256, 256B, 1KiB (1024), 1KB (1000), 1.5MiB. The
// error does not repeat the text.
func ParseSize(text string) (int, error) {
	if err := noCommas(text); err != nil {
		return 0, err
	}
	parts := number.FindStringSubmatch(text)
	if parts == nil || sizeUnits[strings.ToLower(parts[2])] == 0 {
		return 0, errors.New("want bytes, such as 256B, 1KiB (1024 bytes) or 1KB (1000 bytes)")
	}
	return whole[int](parts[1], sizeUnits[strings.ToLower(parts[2])], "bytes")
}

// ParseRate reads a rate as plan files write it: messages per second (3000, 20k,
// 1.5M, 0.1/s), minute (6/m) or hour (90/h). The error does not repeat the text.
func ParseRate(text string) (schedule.Rate, error) {
	n, err := parseThousandths(text)
	return schedule.RateOf(n), err
}

// parseThousandths reads a rate in thousandths of a message an hour.
func parseThousandths(text string) (int64, error) {
	if err := noCommas(text); err != nil {
		return 0, err
	}
	amount, per, slash := strings.Cut(text, "/")
	parts := number.FindStringSubmatch(amount)
	if parts == nil || rateUnits[parts[2]] == 0 || ratePer[per] == 0 || slash && per == "" {
		return 0, errors.New("want messages per second, minute or hour, such as 3000, 20k, 0.1/s, 6/m or 90/h")
	}
	return whole[int64](parts[1], rateUnits[parts[2]]*ratePer[per], "thousandths of a message an hour: round it")
}

// whole multiplies exactly. It refuses a product that is not a whole number, or is
// too large for its type.
func whole[N int | int64](decimal string, unit int64, of string) (N, error) {
	r, ok := new(big.Rat).SetString(decimal)
	if ok {
		r.Mul(r, new(big.Rat).SetInt64(unit))
	}
	if n := r.Num(); ok && r.IsInt() && n.IsInt64() && int64(N(n.Int64())) == n.Int64() {
		return N(n.Int64()), nil
	}
	if ok && r.IsInt() {
		return 0, errors.New("too large")
	}
	return 0, errors.New("not a whole number of " + of)
}

// countTo returns what reads a whole number from 1 to limit.
func countTo(limit int) func(text string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		switch {
		case noCommas(text) != nil:
			return 0, noCommas(text)
		case err == nil && n >= 1 && n <= limit:
			return n, nil
		case limit == math.MaxInt32:
			return 0, errors.New("want a whole number, 1 or above")
		}
		return 0, fmt.Errorf("want a whole number from 1 to %d", limit)
	}
}

// parseInFlight returns 0 for open.
func parseInFlight(text string) (int, error) {
	if text == "open" {
		return 0, nil
	}
	n, err := countTo(math.MaxInt32)(text)
	if err != nil {
		err = fmt.Errorf("%w, or open", err)
	}
	return n, err
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errors.New("want a time with its unit, such as 30s or 1m30s")
	}
	if d > maxDuration {
		return 0, fmt.Errorf("above %v", maxDuration)
	}
	return d, nil
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("want a whole number, 0 or above")
	}
	return seed, nil
}

func parseSpin(text string) (spin plan.Spin, err error) {
	if spin.UnmarshalText([]byte(text)) != nil {
		return spin, errors.New("want auto or a time such as 50us")
	}
	return spin, nil
}

func parsePercentiles(text string) (percentiles []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		percentile, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !slices.Contains(plan.KnownPercentiles(), percentile) {
			return nil, fmt.Errorf("want some of %v, with commas", plan.KnownPercentiles())
		}
		percentiles = append(percentiles, percentile)
	}
	return percentiles, nil
}

// commas writes a list with commas, the form that parsePercentiles reads.
func commas[V any](list []V) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

func parseSwitch(text string) (on bool, err error) {
	if text != "on" && text != "off" {
		return false, errors.New("want on or off")
	}
	return text == "on", nil
}

func parseArrivals(text string) (schedule.Arrivals, error) {
	a, err := schedule.ParseArrivals(text)
	if err == nil {
		return a, nil
	}
	// The user may have meant one of the words, or a burst of the number at the end.
	similar := []string{string(schedule.Constant), string(schedule.Poisson)}
	number := text[len(strings.TrimRight(text, "0123456789")):]
	if burst, err := schedule.ParseArrivals("burst:" + number); err == nil {
		similar = append(similar, string(burst))
	}
	return "", fmt.Errorf("%w%s", err, suggest.Hint(text, similar))
}

package config

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// number is a decimal number and its unit. Its length is bounded so that exact
// arithmetic is.
var number = regexp.MustCompile(`^([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)$`)

// sizeUnits are the units of a size, in lower case.
var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// parseSize reads bytes: 256, 256B, 1KiB (1024), 1KB (1000), 1.5MiB.
func parseSize(text string) (int, error) {
	parts := number.FindStringSubmatch(text)
	if parts == nil || sizeUnits[strings.ToLower(parts[2])] == 0 {
		return 0, fmt.Errorf("size %s: want bytes, such as 256B, 1KiB (1024 bytes) or 1KB (1000 bytes)", quote(text))
	}
	size, ok := whole(parts[1], sizeUnits[strings.ToLower(parts[2])])
	if !ok {
		return 0, fmt.Errorf("size %s is no whole number of bytes", quote(text))
	}
	return size, nil
}

// rateUnits are case-sensitive: m would be a thousandth.
var rateUnits = map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6}

// parseRate reads ops per second: 3000, 20k, 1.5M, each also with /s.
func parseRate(text string) (int, error) {
	parts := number.FindStringSubmatch(strings.TrimSuffix(text, "/s"))
	if parts == nil || rateUnits[parts[2]] == 0 {
		return 0, fmt.Errorf("rate %s: want ops per second, such as 3000, 20k or 1M", quote(text))
	}
	rate, ok := whole(parts[1], rateUnits[parts[2]])
	if !ok {
		return 0, fmt.Errorf("rate %s is no whole number of ops per second", quote(text))
	}
	return rate, nil
}

// whole multiplies exactly; ok is false if the product is no whole number, or
// too large for an int.
func whole(decimal string, unit int64) (int, bool) {
	r, ok := new(big.Rat).SetString(decimal)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(unit))
	n := r.Num()
	if !r.IsInt() || !n.IsInt64() || int64(int(n.Int64())) != n.Int64() {
		return 0, false
	}
	return int(n.Int64()), true
}

// parseCount reads a whole number from 1 to limit.
func parseCount(what, text string, limit int) (int, error) {
	n, err := strconv.Atoi(text)
	if limit == math.MaxInt32 && (err != nil || n < 1 || n > limit) {
		return 0, fmt.Errorf("%s %s: want a whole number, 1 or above", what, quote(text))
	}
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("%s %s: want a whole number from 1 to %d", what, quote(text), limit)
	}
	return n, nil
}

// maxDuration keeps sums of durations far from overflowing.
const maxDuration = 365 * 24 * time.Hour

func parseDuration(what, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s %s: want a time with its unit, such as 30s or 1m30s", what, quote(text))
	}
	if d > maxDuration {
		return 0, fmt.Errorf("%s %v is above %v", what, d, maxDuration)
	}
	return d, nil
}

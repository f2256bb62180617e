// Package number reads sizes, times and rates as plan files write them.
package number

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// decimal is a decimal number and its unit. Its length is bounded, and so is the
// cost of exact arithmetic.
var decimal = regexp.MustCompile(`^([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)$`)

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

// Size reads bytes as plan files write them: 256, 256B, 1KiB (1024), 1KB (1000), 1.5MiB. The
// error does not repeat the text.
func Size(text string) (int, error) {
	if err := NoCommas(text); err != nil {
		return 0, err
	}
	parts := decimal.FindStringSubmatch(text)
	if parts == nil || sizeUnits[strings.ToLower(parts[2])] == 0 {
		return 0, errors.New("want bytes, such as 256B, 1KiB (1024 bytes) or 1KB (1000 bytes)")
	}
	n, err := whole(parts[1], sizeUnits[strings.ToLower(parts[2])], "bytes")
	return int(n), err
}

var weighted = regexp.MustCompile(`^(.+?) ?: ?([0-9.]+) ?%$`)

// Sizes reads several sizes with their weights: 256B:90%,64KiB:10%.
func Sizes(text string) (schedule.Sizes, error) {
	var classes []schedule.SizeClass
	for part := range strings.SplitSeq(text, ",") {
		fields := weighted.FindStringSubmatch(strings.TrimSpace(part))
		if fields == nil {
			return "", fmt.Errorf("%.80q: want a size and its weight in per cent, such as 256B:90%%,64KiB:10%%", part)
		}
		bytes, err := Size(fields[1])
		if err != nil {
			return "", err
		}
		ppm, err := schedule.ParseShare(fields[2])
		if err != nil {
			return "", fmt.Errorf("%.80q: %w", part, err)
		}
		classes = append(classes, schedule.SizeClass{Bytes: bytes, PPM: ppm})
	}
	if len(classes) < 2 {
		return "", errors.New("a single size has no weight")
	}
	return schedule.NewSizes(classes)
}

// Rate reads a rate as plan files write it: messages per second (3000, 20k,
// 1.5M, 0.1/s), minute (6/m) or hour (90/h). The error does not repeat the text.
func Rate(text string) (schedule.Rate, error) {
	n, err := Thousandths(text)
	return schedule.RateOf(n), err
}

// Thousandths reads a rate in thousandths of a message an hour.
func Thousandths(text string) (int64, error) {
	if err := NoCommas(text); err != nil {
		return 0, err
	}
	amount, per, slash := strings.Cut(text, "/")
	parts := decimal.FindStringSubmatch(amount)
	if parts == nil || rateUnits[parts[2]] == 0 || ratePer[per] == 0 || slash && per == "" {
		return 0, errors.New("want messages per second, minute or hour, such as 3000, 20k, 0.1/s, 6/m or 90/h")
	}
	return whole(parts[1], rateUnits[parts[2]]*ratePer[per], "thousandths of a message an hour: round it")
}

// Backlog reads a number of messages (250000, 100k, 1M), or bytes with their unit (2GiB); none is 0. The error does
// not repeat the text.
func Backlog(text string) (messages, size int64, err error) {
	if text == "none" {
		return 0, 0, nil
	}
	if err := NoCommas(text); err != nil {
		return 0, 0, err
	}
	parts := decimal.FindStringSubmatch(text)
	if parts != nil && rateUnits[parts[2]] > 0 {
		messages, err = whole(parts[1], rateUnits[parts[2]], "messages")
	} else if parts != nil && sizeUnits[strings.ToLower(parts[2])] > 0 {
		size, err = whole(parts[1], sizeUnits[strings.ToLower(parts[2])], "bytes")
	}
	if err == nil && messages+size == 0 {
		err = errors.New("want messages, such as 250000, 100k or 1M, or bytes, such as 2GiB, or none")
	}
	return messages, size, err
}

// Store reads bytes with their unit (2GiB); none is 0. The error does not repeat the text.
func Store(text string) (int64, error) {
	if text == "none" {
		return 0, nil
	}
	n, err := Size(text)
	if err != nil || !strings.ContainsAny(text, "bB") || n == 0 {
		return 0, cmp.Or(NoCommas(text), errors.New("want bytes with their unit, such as 512MiB or 4GiB, or none"))
	}
	return int64(n), nil
}

// whole multiplies exactly. It refuses a product that is not a whole number, or is too large.
func whole(text string, unit int64, of string) (int64, error) {
	r, _ := new(big.Rat).SetString(text) // it matches decimal
	r.Mul(r, new(big.Rat).SetInt64(unit))
	switch {
	case !r.IsInt():
		return 0, errors.New("not a whole number of " + of)
	case !r.Num().IsInt64():
		return 0, errors.New("too large")
	}
	return r.Num().Int64(), nil
}

// withCommas is a number with a comma before each three digits.
var withCommas = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+$`)

// NoCommas returns an error if a text is a number with commas in it.
func NoCommas(text string) error {
	if !withCommas.MatchString(text) {
		return nil
	}
	return errors.New("a number has no commas: write " + strings.ReplaceAll(text, ",", ""))
}

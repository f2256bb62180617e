package config

import (
	"strconv"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A scale is what a range counts in: whole numbers, so that a long range does not
// drift.
type scale struct {
	read  func(text string) (int64, error)
	write func(n int64) string // what read reads
	one   int64                // what the user calls 1
}

// least returns the smallest step of a range that begins at a number: one, if it
// is whole.
func (s *scale) least(from int64) int64 {
	if from%s.one == 0 {
		return s.one
	}
	return 1
}

// counting is the scale of an axis that counts things.
func counting(read func(text string) (int, error)) *scale {
	return &scale{
		read: func(text string) (int64, error) {
			n, err := read(text)
			return int64(n), err
		},
		write: func(n int64) string { return strconv.FormatInt(n, 10) }, one: 1,
	}
}

// rates is the scale of rates: thousandths of a message an hour.
func rates() *scale {
	return &scale{
		read: parseThousandths, one: schedule.PerSecond,
		write: func(n int64) string { return schedule.RateOf(n).Column() },
	}
}

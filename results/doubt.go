package results

import (
	"fmt"

	"github.com/brokerbench/brokerbench/histogram"
)

// NoValue says why the percentile has no value that can be compared, as the end of a
// sentence such as "BASE r1: unknown, …"; "" if it has one.
func (p Percentile) NoValue() string {
	switch v, known := p.Value(); {
	case !known:
		return ": unknown, missing messages rank there"
	case v <= 0:
		return " is 0"
	}
	return ""
}

// TooFew says in the same way why the percentile is not trusted; "" if it is.
func (p Percentile) TooFew() string {
	switch {
	case p.Trusted:
		return ""
	case p.SamplesAbove < histogram.MinAbove:
		return fmt.Sprintf(": fewer than %d messages above it", histogram.MinAbove)
	}
	return ": too few independent events above it"
}

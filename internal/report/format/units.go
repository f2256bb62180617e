package format

import (
	"fmt"
	"strconv"
	"strings"
)

// InUnit writes a quantity in a unit, with three digits; ? if it is unknown.
func InUnit(v *float64, unit float64, name string) string {
	if v == nil {
		return "?"
	}
	return digits(*v/unit) + name
}

// CPUTime writes nanoseconds; ? if they are unknown.
func CPUTime(ns *float64) string {
	if ns != nil && *ns >= 1e6 {
		return InUnit(ns, 1e6, " ms")
	}
	return InUnit(ns, 1e3, " µs")
}

// digits writes three significant digits, without an exponent.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
}

// Bytes writes an amount of data; ? if it is unknown.
func Bytes(v *float64) string {
	switch {
	case v == nil:
		return "?"
	case *v >= 1<<30:
		return digits(*v/(1<<30)) + " GiB"
	case *v >= 1<<20:
		return digits(*v/(1<<20)) + " MiB"
	case *v >= 1<<10:
		return digits(*v/(1<<10)) + " KiB"
	}
	return digits(*v) + " B"
}

// Memory writes a number of bytes; ? if it is unknown.
func Memory(n *int64) string { return Bytes(Float(n)) }

// Float converts a number, which may be unknown.
func Float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// Seconds writes nanoseconds in seconds, with milliseconds.
func Seconds(ns int64) string {
	digits := 3
	for limit := int64(10e9); ns >= limit && digits > 0; limit *= 10 {
		digits--
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', digits, 64)
}

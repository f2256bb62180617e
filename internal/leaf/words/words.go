// Package words writes numbers in the same way in every table, message and page.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Millis writes a duration in milliseconds, without the unit, with three digits, the
// precision of histograms: 0.0812, 1.70, 12.3, 123. Above that it writes whole numbers, and
// never less than a tenth of a microsecond.
func Millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch size := math.Abs(ms); {
	case d == 0:
		return "0"
	case size < 0.09995:
		return fmt.Sprintf("%.4f", ms)
	case size < 0.9995:
		return fmt.Sprintf("%.3f", ms)
	case size < 9.995:
		return fmt.Sprintf("%.2f", ms)
	case size < 99.95:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// Rate writes a number per second, without the unit, and without decimals unless it
// is small: 20000, 47.9, 0.0976.
func Rate(perSecond float64) string {
	if perSecond >= 100 {
		return fmt.Sprintf("%.0f", perSecond)
	}
	return fmt.Sprintf("%.3g", perSecond)
}

// Percentile writes the name of a percentile: p99.9, and max for 100.
func Percentile(percentile float64) string {
	if percentile == 100 {
		return "max"
	}
	return "p" + strconv.FormatFloat(percentile, 'f', -1, 64)
}

// Size writes a number of bytes in the largest unit that divides it: 1MiB, 5KiB,
// 1000B.
func Size(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", bytes>>10)
	}
	return fmt.Sprintf("%dB", bytes)
}

// InFlight writes an in-flight limit; 0 is "open".
func InFlight(limit int) string {
	if limit == 0 {
		return "open"
	}
	return fmt.Sprint(limit)
}

// Join writes the elements of a list with a separator.
func Join[T any](list []T, separator string, write func(T) string) string {
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = write(element)
	}
	return strings.Join(texts, separator)
}

// And writes a list as one says it: "a", "a and b", "a, b and c".
func And(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// Are writes a list as the subject of a sentence: "a is", "a and b are", and of more than
// most their number: "30 targets are".
func Are(list []string, most int, noun string) string {
	switch n := len(list); {
	case n == 1:
		return list[0] + " is"
	case n > most:
		return Plural(n, noun) + " are"
	}
	return And(list) + " are"
}

// Plural writes a number and a noun: "1 cell", "2 cells".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Count writes a number of things, with commas between thousands: "1,200,000".
func Count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Duration writes a duration with its unit and at most four digits: 999ns,
// 4.123ms, 1.412s.
func Duration(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 10_000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// About writes a duration that is an estimate: whole seconds, below ten of them
// tenths, without minutes and seconds that are zero: 8.5s, 13m19s, 2h.
func About(d time.Duration) string {
	unit := time.Second
	if d < 10*time.Second {
		unit = 100 * time.Millisecond
	}
	text := d.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Clip shortens a text to a width, with an ellipsis at its end.
func Clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

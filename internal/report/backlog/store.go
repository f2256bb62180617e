package backlog

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// filled says how a store was filled, and what it held.
func filled(f *results.StoreFill) string {
	text := fmt.Sprintf("%s messages, %s, in %s", words.Count(f.Messages), bytes(f.Bytes), words.Duration(time.Duration(f.FillNS)))
	switch f.End {
	case results.FillInterrupted:
		return "interrupted while it was filled: " + text + "."
	case results.FillDiscards:
		text += fmt.Sprintf(", until its limit of %s discarded the first", bytes(f.LimitBytes))
	case results.FillBytes:
		text += ", until it held " + bytes(f.UntilBytes)
	}
	text += ". " + held(f)
	if f.Undelivered > 0 {
		text += fmt.Sprintf(" Consumers had NOT got %s of them as the schedule began.", words.Count(f.Undelivered))
	}
	switch beyond, known := f.BeyondMemory(); {
	case f.InMemory || !known:
	case beyond:
		text += fmt.Sprintf(" That is beyond the %s of memory that it may use.", bytes(f.MemoryBytes))
	default:
		text += fmt.Sprintf(" It may use %s of memory, so that the page cache may have had all of it.", bytes(f.MemoryBytes))
	}
	switch {
	case f.NotCold != "":
		text += " The page cache was NOT dropped: " + f.NotCold + "."
	case f.Cold:
		text += " The page cache was dropped before the schedule."
	}
	return text
}

// held says what the target stored before and after the window.
func held(f *results.StoreFill) string {
	before, after := f.Before, f.After
	if before == nil || after == nil {
		return "The target did NOT tell its state: " + f.Error + "."
	}
	text := fmt.Sprintf("It held %s before the window and %s after it", amount(before), amount(after))
	switch {
	case after.Discarded == nil || before.Discarded == nil:
		return text + "; the number of discarded messages is unknown."
	case *after.Discarded == 0:
		return text + ", and discarded nothing."
	}
	return text + fmt.Sprintf("; it had discarded %s messages before and %s after.", words.Count(*before.Discarded), words.Count(*after.Discarded))
}

// amount is what a target stores: bytes, or messages if it does not tell bytes.
func amount(s *results.StoreState) string {
	switch {
	case s.Bytes != nil:
		return bytes(*s.Bytes)
	case s.Messages != nil:
		return words.Count(*s.Messages) + " messages"
	}
	return "an unknown number of messages"
}

// bytes writes a size in a unit in which it has three digits at most before the point.
func bytes(n int64) string {
	units, value := []string{"B", "KiB", "MiB", "GiB", "TiB"}, float64(n)
	for len(units) > 1 && value >= 1024 {
		units, value = units[1:], value/1024
	}
	if units[0] == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[0])
}

package search

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// Undecided describes a rate that was not found in time, with the time that it needs.
func (r Row) Undecided(atMost time.Duration) string {
	known := "no rate is decided to keep it"
	if r.Rate > 0 {
		known = fmt.Sprintf("kept at %s/s", words.Count(int64(r.Rate)))
	}
	if r.Above > 0 {
		known += fmt.Sprintf(", not kept at %s/s", words.Count(int64(r.Above)))
	}
	if r.SoFar != nil {
		known += r.SoFar.text()
	}
	if r.Reason != "" {
		known += "; " + r.Reason
	}
	needs := "; how long it would take is not known"
	if r.Needs > 0 {
		needs = " → --at-most " + minutes(r.Needs)
	}
	return fmt.Sprintf("not decided in %v: %s%s", atMost, known, needs)
}

// text names the rates that are not decided, but lean to either side.
func (f SoFar) text() (text string) {
	if f.Rate > 0 {
		text = fmt.Sprintf("; %s/s kept it so far", words.Count(int64(f.Rate)))
	}
	if f.Above > 0 {
		text += fmt.Sprintf("; %s/s missed it so far", words.Count(int64(f.Above)))
	}
	return text
}

// Needs returns the longest time that an undecided search needs, in whole minutes, as a flag
// takes it; "" if none is known.
func (d Document) Needs() string {
	var needs time.Duration
	for _, r := range d.Searches {
		for _, row := range r.Rows {
			needs = max(needs, row.Needs)
		}
	}
	if needs == 0 {
		return ""
	}
	return minutes(needs)
}

// minutes writes a time in whole minutes, rounded up.
func minutes(d time.Duration) string {
	return strings.TrimSuffix((d + time.Minute - 1).Truncate(time.Minute).String(), "0s")
}

package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// value writes a percentile in ms with its mark; - if nothing was due at all.
func value(d results.Distribution, percentile float64) string {
	row, ok := d.At(percentile)
	v, known := row.Value()
	switch {
	case d.Count+d.Missing == 0:
		return "-"
	case percentile == 100 && d.Missing > 0:
		return maximum(d.MaxNS, d.Count, d.Missing)
	case !ok || !known:
		return "?"
	case !row.Usable():
		return "~" + words.Millis(v)
	}
	return words.Millis(v)
}

// maximum writes the longest response in ms: ≥ if missing messages rank above.
func maximum(ns, done, missing int64) string {
	text := words.Millis(time.Duration(ns))
	switch {
	case done == 0:
		return "?"
	case missing > 0:
		return "≥" + text
	}
	return text
}

// millis writes nanoseconds in ms; ? if they are unknown.
func millis(ns *int64) string {
	if ns == nil {
		return "?"
	}
	return words.Millis(time.Duration(*ns))
}

// ledger writes how many messages are done and what became of the others:
// "970+20F+10L". The parts add up to those that were due.
func ledger(l results.Ledger) string {
	text := fmt.Sprint(l.Done)
	for _, part := range []struct {
		n    int64
		mark string
	}{{l.Failed, "F"}, {l.Lost, "L"}, {l.Unsent, "U"}} {
		if part.n > 0 {
			text += fmt.Sprintf("+%d%s", part.n, part.mark)
		}
	}
	if len(text) > 17 {
		return fmt.Sprintf("%d/%d", l.Done, l.Due)
	}
	return text
}

// verdict is in capitals when it is not good.
func verdict(v results.Verdict) string {
	if v == results.Valid {
		return "valid"
	}
	return strings.ToUpper(string(v))
}

// clip shortens a text to a width.
func clip(text string, width int) string {
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// known writes a value of a CSV; nothing if it is unknown.
func known[T any](v *T, write func(T) string) string {
	if v == nil {
		return ""
	}
	return write(*v)
}

// positive writes a number of a CSV; nothing if it is 0, which means unknown or none.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func integer(n int64) string  { return strconv.FormatInt(n, 10) }
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ledgerFields writes a ledger for a CSV.
func ledgerFields(l results.Ledger) []string {
	return []string{integer(l.Due), integer(l.Done), integer(l.Failed), integer(l.Lost), integer(l.Unsent)}
}

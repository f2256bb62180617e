package report

import "github.com/brokerbench/brokerbench/results"

// Value writes a percentile in ms as the tables do: with ~ if fewer than
// histogram.MinAbove ops rank above it, ? if it is unknown, ≥ for a maximum above
// which ops rank that are not done, and - if there is nothing at all.
func Value(d results.Distribution, percentile float64) string { return value(d, percentile) }

// Ledger writes the ops done, and those that are not by what became of them: "970+20F+10L".
func Ledger(l results.Ledger) string { return ledger(l) }

package search

import (
	"io"
	"strconv"

	"github.com/brokerbench/brokerbench/report/document"
)

// CSV writes what the table has, with the reasons in the last column and numbers
// that are not known empty.
func CSV(w io.Writer, list []Result) error {
	s := document.Table{Head: []string{
		"target", "size_bytes", "connections", "in_flight", "arrivals", "slo", "status", "rate_per_s", "at",
		"above_per_s", "over", "confirmed", "steps", "probes", "reason",
	}}
	for _, r := range list {
		for _, row := range r.Rows {
			s.Rows = append(s.Rows, record(r, row))
		}
	}
	return s.CSV(w)
}

func record(r Result, row Row) []string {
	s := r.Shape
	return []string{
		r.Target, strconv.Itoa(s.Size), strconv.Itoa(s.Connections), strconv.Itoa(s.InFlight), string(s.Arrivals),
		row.Objective.String(), string(row.Status), known(row.Rate), row.At, known(row.Above), row.Over,
		strconv.FormatBool(row.Confirmed), strconv.Itoa(row.Steps), strconv.Itoa(len(r.Probes)), row.Reason,
	}
}

// known writes a rate; none is empty.
func known(rate int) string {
	if rate == 0 {
		return ""
	}
	return strconv.Itoa(rate)
}

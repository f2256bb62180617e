package search

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
)

// notes says what is not in the rows.
func notes(list []Result) (lines []string) {
	for _, r := range list {
		for _, row := range r.Rows {
			for _, text := range row.notes() {
				lines = append(lines, fmt.Sprintf("%s %s c%d, %v: %s", r.Target, words.Size(r.Shape.Size), r.Shape.Connections, row.Objective, text))
			}
		}
	}
	return lines
}

// notes returns what there is to say about the row.
func (r Row) notes() (texts []string) {
	switch {
	case r.Steps < 0:
		texts = append(texts, "confirming took the rate down by "+words.Plural(-r.Steps, "step"))
	case r.Steps > 0:
		texts = append(texts, "confirming took the rate up by "+words.Plural(r.Steps, "step"))
	}
	switch r.Status {
	case ByClient:
		texts = append(texts, fmt.Sprintf("at %d/s the client is the limit: %s", r.Above, r.Reason))
	case NotKnown:
		texts = append(texts, "not known who is the limit: "+r.Reason)
	case AtMax:
		texts = append(texts, "kept at the highest rate that was allowed (--max)")
	case NotKept:
		texts = append(texts, fmt.Sprintf("not kept at %d/s, the lowest rate", r.Above))
	case Unfinished:
		texts = append(texts, "the search is not finished")
	case Found:
		if r.Reason != "" {
			texts = append(texts, fmt.Sprintf("at %d/s: %s", r.Above, r.Reason))
		}
	}
	return texts
}

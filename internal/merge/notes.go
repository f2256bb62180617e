package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/requester"
)

// notes lists reservations about the sum.
func notes(sources []source.Source, m *Sum) (texts []string) {
	var shapes, silent, logs []string
	var levels []requester.Durability
	for i, s := range sources {
		if s.Cell == nil {
			logs = append(logs, m.Parts[i].Name)
			continue
		}
		shapes = append(shapes, s.Cell.Plan.SharedID())
		if d := s.Cell.Broker.Durability; d != nil {
			levels = append(levels, d.Promised())
		}
		if m.Parts[i].Distribution.Missing > 0 {
			silent = append(silent, m.Parts[i].Name)
		}
	}
	if n := len(group.Unique(shapes)); n > 1 {
		texts = append(texts, fmt.Sprintf("the cells are of %d targets or shapes: the sum is a mixture of them", n))
	}
	if len(group.Unique(levels)) > 1 {
		texts = append(texts, "NOT THE SAME PROMISE: "+durabilities(levels)+": the sum mixes messages that survive different failures")
	}
	if tagsDiffer(m.Parts) {
		texts = append(texts, "the tags differ: the sum may mix different quantities (choose one with --tag)")
	}
	if len(logs) > 0 {
		texts = append(texts, "no cell.json beside "+strings.Join(logs, ", ")+": it is unknown how many messages are missing there")
	}
	if len(silent) > 0 {
		texts = append(texts, fmt.Sprintf("%d messages of %s are missing: they rank above every value here, and are in no .hgrm or .hlog",
			m.Distribution.Missing, strings.Join(silent, ", ")))
	}
	return texts
}

// durabilities names levels of durability, the weakest first.
func durabilities(levels []requester.Durability) string {
	var names []string
	for _, level := range requester.Durabilities() {
		if slices.Contains(levels, level) {
			names = append(names, string(level))
		}
	}
	return "the cells are at the durability " + strings.Join(names, " and ")
}

func tagsDiffer(parts []Part) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Tag != parts[0].Tag })
}

package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/requester"
)

// notes lists reservations about the sum.
func notes(sources []source.Source, m *Sum) (texts []string) {
	shapes, tags, levels := make(map[string]bool), make(map[string]bool), make(map[requester.Durability]bool)
	var silent, logs []string
	for i, s := range sources {
		tags[m.Parts[i].Tag] = true
		if s.Cell == nil {
			logs = append(logs, m.Parts[i].Name)
		} else {
			shapes[s.Cell.Plan.SharedID()] = true
		}
		if s.Cell != nil && s.Cell.Broker.Durability != nil {
			levels[s.Cell.Broker.Durability.Promised()] = true
		}
		if s.Cell != nil && m.Parts[i].Distribution.Missing > 0 {
			silent = append(silent, m.Parts[i].Name)
		}
	}
	if len(shapes) > 1 {
		texts = append(texts, fmt.Sprintf("the cells are of %d targets or shapes: the sum is a mixture of them", len(shapes)))
	}
	if len(levels) > 1 {
		texts = append(texts, "NOT THE SAME PROMISE: "+promises(levels)+": the sum mixes messages that survive different failures")
	}
	if len(tags) > 1 {
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

// promises names levels of durability, the weakest first.
func promises(levels map[requester.Durability]bool) string {
	var names []string
	for _, level := range requester.Durabilities() {
		if levels[level] {
			names = append(names, string(level))
		}
	}
	return "the cells are at the durability " + strings.Join(names, " and ")
}

// commonTag returns the tag of all parts; "" if they differ.
func commonTag(parts []Part) string {
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Tag != parts[0].Tag }) {
		return ""
	}
	return parts[0].Tag
}

package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A backed is a target that has levels of durability.
type backed struct {
	*requester.Backing

	name string
}

// backings returns the levels of the targets of cells, each once: a target may have another
// level in another cell. Names begin with prefix.
func backings(prefix string, cells []*results.Cell) (targets []backed) {
	for _, c := range cells {
		name := prefix + c.Plan.Target.Name
		if b := c.Broker.Durability; b != nil && !slices.ContainsFunc(targets, func(t backed) bool { return t.name == name && reflect.DeepEqual(t.Backing, b) }) {
			targets = append(targets, backed{b, name})
		}
	}
	return targets
}

// durability notes the level of durability of each target, the assumptions behind it, and
// levels that were asked for and not reached. It notes nothing if all targets have the
// lowest level and none was asked for more.
func durability(d *document.Document, targets []backed) {
	if !slices.ContainsFunc(targets, func(t backed) bool { return t.Asked != "" || t.Level != requester.None }) {
		return
	}
	d.Note("durability: " + levels(targets))
	for _, t := range targets {
		if !t.Level.AtLeast(t.Asked) {
			d.Note(fmt.Sprintf("NOT BACKED %s: durability %s was asked for, but %s", t.name, t.Asked, t.Limit))
		}
		if len(t.NotVerified) > 0 {
			d.Note(fmt.Sprintf("%s: durability %s is not verified: %s", t.name, t.Level, strings.Join(t.NotVerified, "; ")))
		}
	}
}

// levels lists the targets by level, the weakest first, and says whether they can be compared.
func levels(targets []backed) string {
	var parts []string
	for _, level := range requester.Durabilities() {
		var names []string
		for _, t := range targets {
			if t.Promised() == level && !slices.Contains(names, t.name) {
				names = append(names, t.name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, words.Are(names, mostNamed, "target")+" at "+string(level))
		}
	}
	text := strings.Join(parts, ", ")
	if len(parts) > 1 {
		text += ": not the same promise (brokerbench durability)"
	}
	return text
}

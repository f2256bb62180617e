package report

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/powercut"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// losses lists the acknowledged messages that are lost.
func losses(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Audit != nil && c.Audit.Missing > 0 && c.Audit.Error == "" {
			d.Say(fmt.Sprintf("LOST %v: %s.", c.Plan, c.Audit.Loss()))
		}
	}
}

// acknowledgements accounts for the acknowledged messages, once for all repeats of a cell.
func acknowledgements(d *document.Document, cells []*results.Cell) {
	acking := slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool { return c.AckLedger == nil })
	for _, repeats := range repeatsOf(acking) {
		var sum results.AckLedger
		var store *results.Audit // nil: it was not read
		for _, c := range repeats {
			sum.Add(*c.AckLedger)
			store = added(store, c.Audit)
		}
		d.Note(repeats[0].Plan.Title() + ": " + kept(sum, store))
	}
}

// added returns the sum of two audits. Either may be nil.
func added(sum, a *results.Audit) *results.Audit {
	if sum == nil || a == nil {
		return cmp.Or(sum, a)
	}
	return &results.Audit{
		Taken: sum.Taken || a.Taken, Delivered: sum.Delivered + a.Delivered, Kept: sum.Kept + a.Kept, Missing: sum.Missing + a.Missing, Discarded: sum.Discarded + a.Discarded,
		Unacked: sum.Unacked + a.Unacked, Duplicates: sum.Duplicates + a.Duplicates, Error: cmp.Or(sum.Error, a.Error),
	}
}

// kept accounts for acknowledged messages.
func kept(sum results.AckLedger, store *results.Audit) string {
	text := fmt.Sprintf("%d acknowledged", sum.Acked)
	for _, part := range []struct {
		n    int64
		what string
	}{
		{sum.Missing, "acknowledged and not delivered"},
		{sum.Unacked, "delivered and not acknowledged"},
		{sum.Disordered, "out of order"},
		{sum.Early, "delivered before they were acknowledged, as the client handed them over"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf("; %d %s", part.n, part.what)
		}
	}
	if store != nil {
		text += "; " + stored(store)
	}
	return text
}

// stored describes the content of the store.
func stored(a *results.Audit) string {
	switch {
	case a.Error != "":
		return "not known what is in the store: " + a.Error
	case a.Missing > 0 && a.Taken:
		return fmt.Sprintf("%d delivered or kept, %d LOST", a.Delivered+a.Kept, a.Missing)
	case a.Missing > 0:
		return fmt.Sprintf("%d in the store, %d LOST", a.Kept, a.Missing)
	}
	text := fmt.Sprintf("all %d of window and warm-up are in the store", a.Kept)
	if a.Discarded > 0 {
		text = fmt.Sprintf("%d of window and warm-up are in the store, and its limit may have discarded the %d before them", a.Kept, a.Discarded)
	}
	if a.Taken {
		text = fmt.Sprintf("all %d of window and warm-up were delivered or kept", a.Delivered+a.Kept)
	}
	if a.Unacked > 0 {
		text += fmt.Sprintf(", and %s without an acknowledgement", words.Plural(int(a.Unacked), "message"))
	}
	if a.Duplicates > 0 {
		text += fmt.Sprintf("; %d are there twice", a.Duplicates)
	}
	return text
}

// A backed is a target that has levels of durability.
type backed struct {
	*requester.Backing

	name   string
	broker results.Broker
}

// backings returns the levels of the targets of cells, each once: a target may have another
// level in another cell. Names begin with prefix.
func backings(prefix string, cells []*results.Cell) (targets []backed) {
	for _, c := range cells {
		name := prefix + c.Plan.Target.Name
		if b := c.Broker.Durability; b != nil && !slices.ContainsFunc(targets, func(t backed) bool { return t.name == name && reflect.DeepEqual(t.Backing, b) }) {
			targets = append(targets, backed{b, name, c.Broker})
		}
	}
	return targets
}

// promises returns the targets; none if all have the lowest level and none was asked for more.
func promises(targets []backed) []backed {
	if !slices.ContainsFunc(targets, func(t backed) bool { return t.Asked != "" || t.Level != requester.None }) {
		return nil
	}
	return targets
}

// durability warns that targets have different levels of durability, and notes levels that were
// asked for and not reached, the assumptions behind one, and whether a power cut tested it.
func durability(d *document.Document, targets []backed) {
	targets = promises(targets)
	var levels []string
	for _, level := range requester.Durabilities() {
		var names []string
		for _, t := range targets {
			if t.Promised() == level {
				names = append(names, t.name)
			}
		}
		if len(names) > 0 {
			levels = append(levels, words.And(group.Unique(names))+" at "+string(level))
		}
	}
	if len(levels) > 1 {
		d.Note("Not the same promise: " + strings.Join(levels, "; ") + " (--durability LEVEL makes them equal)")
	}
	for _, t := range targets {
		if !t.Level.AtLeast(t.Asked) {
			d.Note(fmt.Sprintf("NOT BACKED %s: durability %s was asked for, but %s", t.name, t.Asked, t.Limit))
		}
		if len(t.NotVerified) > 0 {
			d.Note(fmt.Sprintf("NOT VERIFIED %s: durability %s: %s", t.name, t.Promised(), strings.Join(t.NotVerified, "; ")))
		}
		if note := powercut.Note(t.broker, t.Promised()); note != "" {
			d.Note(t.name + ": " + note)
		}
	}
}

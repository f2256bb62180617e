package report

import (
	"cmp"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// losses lists the acknowledged messages that are lost.
func losses(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Audit != nil && c.Audit.Missing > 0 && c.Audit.Error == "" {
			d.Say(fmt.Sprintf("LOST %s: %s.", c.ID, c.Audit.Loss()))
		}
	}
}

// promises accounts for the acknowledged messages, once for all repeats of a cell; with details
// also for those delivered before their acknowledgement.
func promises(d *document.Document, cells []*results.Cell, details bool) {
	var ids []string
	of := make(map[string]*kept)
	for _, c := range cells {
		if c.AckLedger == nil {
			continue
		}
		id := c.Plan.SharedID()
		if of[id] == nil {
			ids, of[id] = append(ids, id), &kept{details: details}
		}
		of[id].add(c)
	}
	for _, id := range ids {
		d.Note(id + ": " + of[id].String())
	}
}

// kept sums up the acknowledged messages of repeats.
type kept struct {
	results.AckLedger

	details bool
	audit   *results.Audit // nil: the store was not read
}

func (k *kept) add(c *results.Cell) {
	k.Add(*c.AckLedger)
	a := c.Audit
	if a == nil {
		return
	}
	if k.audit == nil {
		k.audit = &results.Audit{}
	}
	k.audit.Taken = k.audit.Taken || a.Taken
	k.audit.Delivered += a.Delivered
	k.audit.Kept += a.Kept
	k.audit.Missing += a.Missing
	k.audit.Unacked += a.Unacked
	k.audit.Duplicates += a.Duplicates
	k.audit.Error = cmp.Or(k.audit.Error, a.Error)
}

func (k *kept) String() string {
	text := fmt.Sprintf("%d acknowledged", k.Acked)
	for _, part := range []struct {
		n    int64
		what string
	}{
		{k.Missing, "acknowledged and not delivered"},
		{k.Unacked, "delivered and not acknowledged"},
		{k.Disordered, "out of order"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf("; %d %s", part.n, part.what)
		}
	}
	if k.details && k.Early > 0 {
		text += fmt.Sprintf("; %d delivered before they were acknowledged, as the client handed them over", k.Early)
	}
	if k.audit != nil {
		text += "; " + stored(k.audit)
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

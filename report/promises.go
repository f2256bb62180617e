package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// losses says first of all what was acknowledged and is lost.
func losses(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Audit != nil && c.Audit.Missing > 0 && c.Audit.Error == "" {
			d.Say(fmt.Sprintf("LOST %s: %s.", c.ID, c.Audit.Loss()))
		}
	}
}

// promises says, once for each target, what became of what was acknowledged.
func promises(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if c.Promises == nil {
			continue
		}
		p, text := c.Promises, ""
		text = fmt.Sprintf("%s: %d acknowledged", c.ID, p.Acked)
		if p.Early > 0 {
			text += fmt.Sprintf(", %.3g %% of them after they had come back", 100*float64(p.Early)/float64(p.Acked))
		}
		if p.Broken > 0 {
			text += fmt.Sprintf("; %d acknowledged and not delivered", p.Broken)
		}
		if p.Unacked > 0 {
			text += fmt.Sprintf("; %d delivered and not acknowledged", p.Unacked)
		}
		if p.Disordered > 0 {
			text += fmt.Sprintf("; %d out of order", p.Disordered)
		}
		if a := c.Audit; a != nil {
			text += "; " + stored(a)
		}
		d.Note(text)
	}
}

// stored says what the store held.
func stored(a *results.Audit) string {
	switch {
	case a.Error != "":
		return "not known what is in the store: " + a.Error
	case a.Missing > 0:
		return fmt.Sprintf("%d in the store, %d LOST", a.Kept, a.Missing)
	}
	text := fmt.Sprintf("all %d of window and warm-up are in the store", a.Kept)
	if a.Unacked > 0 {
		text += fmt.Sprintf(", and %s that nobody promised", words.Plural(int(a.Unacked), "message"))
	}
	if a.Duplicates > 0 {
		text += fmt.Sprintf("; %d are there twice", a.Duplicates)
	}
	return text
}

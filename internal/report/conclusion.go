package report

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// winners says which target is the fastest, in one line for each percentile.
func winners(d *document.Document, a *answer.Answer) {
	lines := a.Winners()
	if len(a.Shapes) == 1 {
		lines = a.Shapes[0].Sentences
	}
	d.Note(lines...)
}

// belief says how many numbers can be used, and what limits the others.
func belief(d *document.Document, a *answer.Answer) {
	b := a.Belief
	switch text := fmt.Sprintf("%d of %s usable", b.Usable, words.Plural(b.Of, "number")); {
	case b.Of == 0:
		return
	case b.Usable == b.Of:
		d.Note(text + ".")
	default:
		d.Note(fmt.Sprintf("%s, %s marks the others (docs/limited.md):", text, format.Limited))
	}
	for _, line := range b.Lines() {
		d.Note("  " + line)
	}
	if b.Unseen != nil {
		d.Note("  " + format.Unseen + " " + b.Unseen.String())
	}
}

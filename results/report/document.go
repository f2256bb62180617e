package report

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/sheet"
)

// document is what there is to say of a run, from top to bottom.
type document []block

// block is a line, or a table.
type block struct {
	line  string
	sheet sheet.Sheet
	text  string // the table as text, if that is not the sheet's own
}

func (d *document) say(line string) { *d = append(*d, block{line: line}) }

func (d *document) show(s sheet.Sheet) { *d = append(*d, block{sheet: s}) }

// text writes the document for a terminal, with lines of at most width columns.
func (d document) text() string {
	var b strings.Builder
	for _, block := range d {
		switch {
		case block.line != "":
			b.WriteString(wrap(block.line) + "\n")
		case block.text != "":
			b.WriteString(block.text)
		default:
			b.WriteString(block.sheet.Text())
		}
	}
	return b.String()
}

// markdown writes it for a page or a comment. Lines between tables are a list.
func (d document) markdown() string {
	var b strings.Builder
	for i, block := range d {
		table := len(block.sheet.Head) > 0
		if i > 0 && (table || len(d[i-1].sheet.Head) > 0) {
			b.WriteString("\n")
		}
		switch {
		case table:
			b.WriteString(block.sheet.Markdown())
		case i+1 < len(d) && len(d[i+1].sheet.Head) > 0:
			b.WriteString(sheet.Escape(block.line) + "\n")
		default:
			b.WriteString("- " + sheet.Escape(block.line) + "\n")
		}
	}
	return b.String()
}

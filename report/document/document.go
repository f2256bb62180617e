package document

import (
	"strings"
	"unicode/utf8"
)

// Width is that of the widest terminal that nobody has to scroll.
const Width = 120

// A Document is lines and tables, from top to bottom. Its zero value is empty.
type Document struct{ blocks []block }

// block is a line, or a table.
type block struct {
	line  string
	table Table
	text  string // the table as text, if that is not the table's own
}

// Say adds a line, of any length.
func (d *Document) Say(line string) { d.blocks = append(d.blocks, block{line: line}) }

// Show adds a table with a head.
func (d *Document) Show(t Table) { d.blocks = append(d.blocks, block{table: t}) }

// ShowAs adds a table with a head that is written as text in a way of its own,
// which ends with a line feed.
func (d *Document) ShowAs(text string, t Table) {
	d.blocks = append(d.blocks, block{table: t, text: text})
}

// Text returns the document for a terminal. Its lines are wrapped at Width, its
// tables are not.
func (d *Document) Text() string {
	var b strings.Builder
	for _, block := range d.blocks {
		switch {
		case block.line != "":
			b.WriteString(Wrap(block.line) + "\n")
		case block.text != "":
			b.WriteString(block.text)
		default:
			b.WriteString(block.table.Text())
		}
	}
	return b.String()
}

// Markdown returns it for a page or a comment. A line before a table is its title,
// other lines are a list.
func (d *Document) Markdown() string {
	var b strings.Builder
	for i, block := range d.blocks {
		if i > 0 && (block.isTable() || d.blocks[i-1].isTable()) {
			b.WriteString("\n")
		}
		switch {
		case block.isTable():
			b.WriteString(block.table.Markdown())
		case i+1 < len(d.blocks) && d.blocks[i+1].isTable():
			b.WriteString(Escape(block.line) + "\n")
		default:
			b.WriteString("- " + Escape(block.line) + "\n")
		}
	}
	return b.String()
}

func (b block) isTable() bool { return len(b.table.Head) > 0 }

// Wrap breaks text at spaces so that no line is wider than Width; lines after
// the first are indented.
func Wrap(text string) string {
	const indent = "  "
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > Width:
			b.WriteString("\n" + indent)
			column = utf8.RuneCountInString(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

package document

import (
	"strings"
)

// Width is how many columns a terminal has that nobody needs to scroll sideways.
const Width = 120

// A Document is lines and tables, from top to bottom. It can be written in every
// [Format]. Its zero value is empty.
type Document struct {
	blocks []block
	exact  Table // for CSV; without rows and head it is the last table shown
	value  any   // for JSON
}

// A block is a line or a table, as it is written for people. One that is empty in
// a format is left out there.
type block struct {
	text     string
	markdown string
	item     bool // of a list in Markdown
}

// Say adds a line, of any length. It is a paragraph in Markdown.
func (d *Document) Say(line string) { d.Add(Wrap(line)+"\n", Escape(line)+"\n") }

// Note adds a line, of any length. It is an item of a list in Markdown. Spaces at
// its beginning indent it in text.
func (d *Document) Note(line string) {
	d.blocks = append(d.blocks, block{Wrap(line) + "\n", "- " + Escape(strings.TrimSpace(line)) + "\n", true})
}

// Show adds a table with a head.
func (d *Document) Show(t Table) { d.ShowAs(t.Text(), t) }

// ShowAs adds a table with a head that looks different as text. The text ends with
// a line feed.
func (d *Document) ShowAs(text string, t Table) {
	d.exact = t
	d.Add(text, t.Markdown())
}

// Add adds what differs between text and Markdown. Both end with a line feed; one
// that is empty is left out.
func (d *Document) Add(text, markdown string) {
	d.blocks = append(d.blocks, block{text: text, markdown: markdown})
}

// Exact sets what programs read: CSV the table, JSON the value. Without it CSV is
// the last table shown, and JSON is null.
func (d *Document) Exact(t Table, value any) { d.exact, d.value = t, value }

// Text returns the document for a terminal. Its lines are wrapped at Width, its
// tables are not.
func (d *Document) Text() string {
	var b strings.Builder
	for _, block := range d.blocks {
		b.WriteString(block.text)
	}
	return b.String()
}

// Markdown returns it for a page or a comment, with an empty line between blocks.
func (d *Document) Markdown() string {
	var b strings.Builder
	before := block{}
	for _, block := range d.blocks {
		if block.markdown == "" {
			continue
		}
		if b.Len() > 0 && (!block.item || !before.item) {
			b.WriteString("\n")
		}
		b.WriteString(block.markdown)
		before = block
	}
	return b.String()
}

// Wrap breaks text at spaces so that no line is wider than Width; lines after
// the first are indented. Spaces at the beginning stay.
func Wrap(text string) string {
	const indent = "  "
	var b strings.Builder
	column := len(text) - len(strings.TrimLeft(text, " "))
	b.WriteString(text[:column])
	for i, word := range strings.Fields(text) {
		n := columns(word)
		switch {
		case i == 0:
		case column+1+n > Width:
			b.WriteString("\n" + indent)
			column = columns(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

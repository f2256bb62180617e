package document

import (
	"slices"
	"strings"
)

// Width is the largest number of columns of text.
const Width = 120

// A Document is lines and tables, from top to bottom. It can be written in every
// [Format]. Its zero value is empty.
type Document struct {
	// Columns is the largest width of the text; 0, or more than Width, is Width.
	Columns int
	// Colour highlights words of the text in the colours of a terminal.
	Colour bool

	blocks []block
	exact  Table // for CSV; without rows and head it is the last table shown
	value  any   // for JSON
}

// A block is a line or a table, as it is written for people. One that is empty in
// a format is left out there.
type block struct {
	text     func(columns int) string
	title    bool // its text stands out
	markdown string
	item     bool // of a list in Markdown
}

// Say adds a line of any length. It is a paragraph in Markdown.
func (d *Document) Say(line string) {
	d.blocks = append(d.blocks, block{text: wrapped(line), markdown: Escape(line) + "\n"})
}

// Title adds a line that stands out, above what it is the title of.
func (d *Document) Title(line string) {
	d.blocks = append(d.blocks, block{text: wrapped(line), title: true, markdown: "### " + Escape(line) + "\n"})
}

// Note adds a line, of any length. It is an item of a list in Markdown. Spaces at
// its beginning indent it in text.
func (d *Document) Note(line string) {
	d.blocks = append(d.blocks, block{text: wrapped(line), markdown: "- " + Escape(strings.TrimSpace(line)) + "\n", item: true})
}

func wrapped(line string) func(int) string {
	return func(columns int) string { return WrapTo(line, columns) + "\n" }
}

// Show adds a table with a head.
func (d *Document) Show(t Table) { d.ShowAs(t.Text(), t) }

// ShowFitting adds a table with a head, which leaves out columns, the first of optional
// first, until it is narrow enough as text. Elsewhere it is whole.
func (d *Document) ShowFitting(t Table, optional ...string) { d.ShowFittingAs(t, t, optional...) }

// ShowFittingAs is ShowFitting for a table that has other columns as text. A line below it names
// the columns that are left out.
func (d *Document) ShowFittingAs(text, t Table, optional ...string) {
	d.exact = t
	d.blocks = append(d.blocks, block{markdown: t.Markdown(), text: func(columns int) string {
		fitting, out := text, []string(nil)
		for _, name := range optional {
			if fitting.width() <= columns {
				break
			}
			if slices.Contains(fitting.Head, name) {
				fitting, out = fitting.without(name), append(out, name)
			}
		}
		if len(out) == 0 {
			return fitting.Text()
		}
		return fitting.Text() + WrapTo("  no room here: "+strings.Join(out, ", "), columns) + "\n"
	}})
}

// ShowAs adds a table with a head that looks different as text. The text ends with
// a line feed.
func (d *Document) ShowAs(text string, t Table) {
	d.exact = t
	d.Add(text, t.Markdown())
}

// ShowGroups adds a table with groups of rows. In text each group is below its title; elsewhere
// the table has one more column, with the groups' names.
func (d *Document) ShowGroups(column string, t Table, groups []Group) {
	whole := t
	whole.Head, whole.Align, whole.Rows = append([]string{column}, t.Head...), "l"+t.Align, nil
	for _, g := range groups {
		for _, row := range g.Rows {
			whole.Rows = append(whole.Rows, append([]string{g.Name}, row...))
		}
	}
	d.ShowAs(t.Grouped(groups), whole)
}

// Add adds a block that differs between text and Markdown. Both end with a line feed; an empty one
// is left out.
func (d *Document) Add(text, markdown string) {
	d.blocks = append(d.blocks, block{text: func(int) string { return text }, markdown: markdown})
}

// Exact sets what programs read: CSV the table, JSON the value. Without it CSV is
// the last table shown, and JSON is null.
func (d *Document) Exact(t Table, value any) { d.exact, d.value = t, value }

// Text returns the document for a terminal. Lines are wrapped at Columns; only tables from
// ShowFitting are made narrower.
func (d *Document) Text() string {
	columns := Width
	if d.Columns > 0 {
		columns = min(d.Columns, Width)
	}
	var b strings.Builder
	for _, block := range d.blocks {
		text := block.text(columns)
		if d.Colour {
			text = coloured(text, block.title)
		}
		b.WriteString(text)
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
func Wrap(text string) string { return WrapTo(text, Width) }

// WrapTo is Wrap for a width of at most so many columns.
func WrapTo(text string, most int) string {
	const indent = "  "
	var b strings.Builder
	column := len(text) - len(strings.TrimLeft(text, " "))
	b.WriteString(text[:column])
	for i, word := range strings.Fields(text) {
		n := columns(word)
		switch {
		case i == 0:
		case column+1+n > most:
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

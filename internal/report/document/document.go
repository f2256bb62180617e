// Package document writes lines and tables in four formats: text for a terminal,
// Markdown for pages and comments, CSV and JSON for programs.
package document

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
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
	others map[Format]func(io.Writer) error
}

// A block is a line or a table, as it is written for people. One that is empty in
// a format is left out there.
type block struct {
	text     func(columns int) string
	title    bool // its text stands out
	markdown string
	item     bool // of a list in Markdown
}

// Say adds lines of any length. Each is a paragraph in Markdown.
func (d *Document) Say(lines ...string) {
	for _, line := range lines {
		d.line(line, block{markdown: Escape(line) + "\n"})
	}
}

// Title adds a line that stands out, above what it is the title of.
func (d *Document) Title(line string) {
	d.line(line, block{title: true, markdown: "### " + Escape(line) + "\n"})
}

// Note adds lines of any length. Each is an item of a list in Markdown. Spaces at the beginning of
// one indent it in text.
func (d *Document) Note(lines ...string) {
	for _, line := range lines {
		d.line(line, block{markdown: "- " + Escape(strings.TrimSpace(line)) + "\n", item: true})
	}
}

func (d *Document) line(line string, b block) {
	b.text = func(columns int) string { return wrap(line, columns) + "\n" }
	d.blocks = append(d.blocks, b)
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
			if fitting.width() > columns && slices.Contains(fitting.Head, name) {
				fitting, out = fitting.Without(name), append(out, name)
			}
		}
		if len(out) == 0 {
			return fitting.Text()
		}
		return fitting.Text() + wrap("  no room here: "+strings.Join(out, ", "), columns) + "\n"
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

// Gap adds an empty line to text, unless it would be the first or the second in a row.
func (d *Document) Gap() {
	for _, last := range slices.Backward(d.blocks) {
		text := last.text(Width)
		if text == "" {
			continue
		}
		if text != "\n" && !strings.HasSuffix(text, "\n\n") {
			d.Add("\n", "")
		}
		return
	}
}

// Command adds a command line to paste behind its title. It is not wrapped. A comment of the shell
// says what to replace if passwords were removed from it.
func (d *Document) Command(title string, args []string) {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if quoted[i] = arg; arg == "" || strings.ContainsAny(arg, " \t'\"$&|;<>()*?[]{}#~\\`!") {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	line := strings.Join(quoted, " ")
	if strings.Contains(line, ":xxxxx@") {
		line += " # replace xxxxx by the password"
	}
	line += "\n"
	d.Add(title+line, title+"\n```sh\n"+line+"```\n")
}

// Add adds a block that differs between text and Markdown. Both end with a line feed; an empty one
// is left out.
func (d *Document) Add(text, markdown string) {
	d.blocks = append(d.blocks, block{text: func(int) string { return text }, markdown: markdown})
}

// Exact sets what programs read: CSV the table, JSON the value. Without it CSV is
// the last table shown, and JSON is null.
func (d *Document) Exact(t Table, value any) { d.exact, d.value = t, value }

// Offer adds a format besides [Formats], with the function that writes it.
func (d *Document) Offer(f Format, write func(io.Writer) error) {
	if d.others == nil {
		d.others = make(map[Format]func(io.Writer) error)
	}
	d.others[f] = write
}

// Text returns the document for a terminal. Lines are wrapped at Columns; only tables from
// ShowFitting are made narrower.
func (d *Document) Text() string {
	columns := Width
	if d.Columns > 0 {
		columns = min(d.Columns, Width)
	}
	var b strings.Builder
	for _, block := range d.blocks {
		text := words.Plain(block.text(columns))
		if d.Colour {
			text = coloured(text, block.title)
		}
		b.WriteString(text)
	}
	return b.String()
}

// A Format is how a document is written.
type Format string

// The formats.
const (
	Text     Format = "table" // aligned columns, for a terminal
	JSON     Format = "json"  // everything there is, for programs
	CSV      Format = "csv"   // a row for each result, for spreadsheets
	Markdown Format = "md"    // for a page or a comment
)

// Formats lists them, the default first.
func Formats() []Format { return []Format{Text, JSON, CSV, Markdown} }

// Write writes the document in a format.
func (d *Document) Write(w io.Writer, f Format) (err error) {
	if write := d.others[f]; write != nil {
		return write(w)
	}
	switch f {
	case JSON:
		return WriteJSON(w, d.value)
	case CSV:
		var b strings.Builder
		if err = d.exact.CSV(&b); err == nil {
			_, err = io.WriteString(w, words.Plain(b.String()))
		}
	case Markdown:
		_, err = io.WriteString(w, words.Plain(d.Markdown()))
	case Text:
		_, err = io.WriteString(w, d.Text())
	default:
		return fmt.Errorf("format %q: want one of %q", f, Formats())
	}
	return err
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

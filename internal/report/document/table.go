// Package document writes lines and tables in four formats: text for a terminal,
// Markdown for pages and comments, CSV and JSON for programs.
package document

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// A Table is a table. A row may be shorter than the head: the rest is empty.
type Table struct {
	// Head names the columns; none has no head, and cannot be Markdown.
	Head []string
	Rows [][]string
	// Align has a letter for each column, l or r; the last holds for the columns
	// after it. Empty is l.
	Align string
	// Gap is how many spaces are between columns of text. 0 is 2.
	Gap int
	// Bold are fields that Markdown sets in bold.
	Bold []string
}

// A Group is rows of a table below a title.
type Group struct {
	Title string
	Name  string // in the first column where there are no titles
	Rows  [][]string
}

// Text returns a line for each row. Widths count columns of a terminal.
func (t Table) Text() string {
	widths := t.widths()
	var b strings.Builder
	for _, row := range t.all() {
		var line strings.Builder
		for i, field := range row {
			if i > 0 {
				line.WriteString(strings.Repeat(" ", cmp.Or(t.Gap, 2)))
			}
			pad := strings.Repeat(" ", widths[i]-columns(field))
			if t.right(i) {
				field, pad = pad, field
			}
			line.WriteString(field + pad)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Grouped returns the table as text with the rows of groups, each indented below its title.
func (t Table) Grouped(groups []Group) string {
	t.Rows = nil
	for _, g := range groups {
		t.Rows = append(t.Rows, g.Rows...)
	}
	lines := strings.SplitAfter(t.Text(), "\n")
	var b strings.Builder
	b.WriteString("  " + lines[0])
	lines = lines[1:]
	for _, g := range groups {
		b.WriteString(Wrap(g.Title) + "\n")
		for _, line := range lines[:len(g.Rows)] {
			b.WriteString("  " + line)
		}
		lines = lines[len(g.Rows):]
	}
	return b.String()
}

// Markdown returns a table of GitHub's flavour. It escapes markup in fields.
func (t Table) Markdown() string {
	var b strings.Builder
	marks := make([]string, len(t.Head))
	for i := range t.Head {
		if marks[i] = ":--"; t.right(i) {
			marks[i] = "--:"
		}
	}
	line := func(fields []string) {
		b.WriteString("| " + strings.Join(fields, " | ") + " |\n")
	}
	line(t.escaped(t.Head))
	line(marks)
	for _, row := range t.Rows {
		line(t.escaped(row))
	}
	return b.String()
}

// CSV writes the table by RFC 4180, with line feeds.
func (t Table) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.all()) }

// markup escapes the markup of Markdown and HTML.
var markup = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "~", "\\~",
	"<", "&lt;", ">", "&gt;", "&", "&amp;")

// Escape returns text as Markdown shows it, on one line, in a paragraph or in a
// table.
func Escape(text string) string {
	return markup.Replace(strings.Map(func(r rune) rune { return max(r, ' ') }, text))
}

// escaped returns the fields of a row as Markdown, as many as the head has at least.
func (t Table) escaped(row []string) []string {
	out := make([]string, max(len(t.Head), len(row)))
	for i, field := range row {
		out[i] = Escape(field)
		if slices.Contains(t.Bold, field) {
			out[i] = "**" + out[i] + "**"
		}
	}
	return out
}

// all returns head and rows.
func (t Table) all() [][]string {
	if len(t.Head) == 0 {
		return t.Rows
	}
	return append([][]string{t.Head}, t.Rows...)
}

func (t Table) widths() (widths []int) {
	for _, row := range t.all() {
		for i, field := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(field))
		}
	}
	return widths
}

// width returns how many columns the widest line of the text has.
func (t Table) width() (columns int) {
	for _, width := range t.widths() {
		columns += width + cmp.Or(t.Gap, 2)
	}
	return columns - cmp.Or(t.Gap, 2)
}

// without returns the table without a column.
func (t Table) without(name string) Table {
	at := slices.Index(t.Head, name)
	if at < 0 {
		return t
	}
	drop := func(row []string) []string {
		if at >= len(row) {
			return row
		}
		return slices.Delete(slices.Clone(row), at, at+1)
	}
	narrower := t
	narrower.Rows = nil
	for _, row := range t.Rows {
		narrower.Rows = append(narrower.Rows, drop(row))
	}
	narrower.Align = ""
	for i := range t.Head {
		if i != at {
			narrower.Align += map[bool]string{true: "r", false: "l"}[t.right(i)]
		}
	}
	narrower.Head = drop(t.Head)
	return narrower
}

func (t Table) right(column int) bool {
	return t.Align != "" && t.Align[min(column, len(t.Align)-1)] == 'r'
}

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
	widths, align := t.widths(), t.align()
	var b strings.Builder
	for _, row := range t.all() {
		line := ""
		for i, field := range row {
			pad := strings.Repeat(" ", widths[i]-columns(field))
			if align[i] == 'r' {
				field, pad = pad, field
			}
			line += field + pad + t.gap()
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
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
	text := "  " + lines[0]
	lines = lines[1:]
	for _, g := range groups {
		text += Wrap(g.Title) + "\n"
		for _, line := range lines[:len(g.Rows)] {
			text += "  " + line
		}
		lines = lines[len(g.Rows):]
	}
	return text
}

// CSV writes the table by RFC 4180, with line feeds.
func (t Table) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.all()) }

// Without returns the table without a column.
func (t Table) Without(name string) Table {
	at := slices.Index(t.Head, name)
	if at < 0 {
		return t
	}
	narrower, align := t, t.align()
	narrower.Head, narrower.Rows, narrower.Align = dropped(t.Head, at), nil, align[:at]+align[at+1:]
	for _, row := range t.Rows {
		narrower.Rows = append(narrower.Rows, dropped(row, at))
	}
	return narrower
}

// WithoutUsual returns the table without a column if all rows have the usual field in it.
func (t Table) WithoutUsual(name, usual string) Table {
	at := slices.Index(t.Head, name)
	if slices.ContainsFunc(t.Rows, func(row []string) bool { return at < len(row) && row[at] != usual }) {
		return t
	}
	return t.Without(name)
}

func dropped(row []string, at int) []string {
	if at >= len(row) {
		return row
	}
	return slices.Delete(slices.Clone(row), at, at+1)
}

func (t Table) all() [][]string {
	if len(t.Head) == 0 {
		return t.Rows
	}
	return append([][]string{t.Head}, t.Rows...)
}

// align returns a letter for each column.
func (t Table) align() string {
	letters := cmp.Or(t.Align, "l")
	last := letters[len(letters)-1:]
	return (letters + strings.Repeat(last, len(t.widths())))[:len(t.widths())]
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
		columns += width + len(t.gap())
	}
	return columns - len(t.gap())
}

func (t Table) gap() string { return strings.Repeat(" ", cmp.Or(t.Gap, 2)) }

// Package sheet writes tables: aligned text for people, Markdown for pages and
// comments, CSV for programs.
package sheet

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode/utf8"
)

// A Sheet is a table. A row may be shorter than the head: the rest is empty.
type Sheet struct {
	// Head names the columns; none has no head, and cannot be Markdown.
	Head []string
	Rows [][]string
	// Align has a letter for each column, l or r; the last holds for the columns
	// after it. Empty is l.
	Align string
	// Gap is how many spaces are between columns of text. 0 is 2.
	Gap int
}

// Text returns a line for each row. Widths count code points.
func (s Sheet) Text() string {
	widths := s.widths()
	var b strings.Builder
	for _, row := range s.all() {
		var line strings.Builder
		for i, field := range row {
			if i > 0 {
				line.WriteString(strings.Repeat(" ", s.gap()))
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(field))
			if s.right(i) {
				field, pad = pad, field
			}
			line.WriteString(field + pad)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Markdown returns a table of GitHub's flavour. Fields are data: nothing in them
// is taken for markup.
func (s Sheet) Markdown() string {
	var b strings.Builder
	marks := make([]string, len(s.Head))
	for i := range s.Head {
		if marks[i] = ":--"; s.right(i) {
			marks[i] = "--:"
		}
	}
	line := func(fields []string) {
		b.WriteString("| " + strings.Join(fields, " | ") + " |\n")
	}
	line(escaped(s.Head, len(s.Head)))
	line(marks)
	for _, row := range s.Rows {
		line(escaped(row, len(s.Head)))
	}
	return b.String()
}

// CSV writes the table as RFC 4180 has it, with line feeds.
func (s Sheet) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(s.all()) }

// Escape returns text as Markdown shows it, on one line.
func Escape(text string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "*", `\*`, "`", "\\`",
		"[", `\[`, "]", `\]`, "\r", "", "\n", " ",
	).Replace(text)
}

func escaped(fields []string, n int) []string {
	out := make([]string, max(n, len(fields)))
	for i, field := range fields {
		out[i] = Escape(field)
	}
	return out
}

// all returns head and rows.
func (s Sheet) all() [][]string {
	if len(s.Head) == 0 {
		return s.Rows
	}
	return append([][]string{s.Head}, s.Rows...)
}

func (s Sheet) widths() (widths []int) {
	for _, row := range s.all() {
		for i, field := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(field))
		}
	}
	return widths
}

func (s Sheet) gap() int {
	if s.Gap == 0 {
		return 2
	}
	return s.Gap
}

func (s Sheet) right(column int) bool {
	return s.Align != "" && s.Align[min(column, len(s.Align)-1)] == 'r'
}

package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/brokerbench/brokerbench/internal/sheet"
)

// Table writes comparisons as text, at most 120 columns wide but for long names.
func Table(w io.Writer, list ...*Comparison) error {
	var b bytes.Buffer
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		c.table(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Comparison) table(b *bytes.Buffer) {
	fmt.Fprintf(b, "BASE %v\nNEW  %v\n", c.Base, c.New)
	fmt.Fprintln(b, sheet.Wrap(c.meaning()))
	widths := c.widths()
	fmt.Fprintln(b, aligned(head(), widths))
	for _, p := range c.Pairs {
		fmt.Fprintf(b, "%s: %s\n", p.name(), p.runs())
		for _, line := range p.lines() {
			fmt.Fprintln(b, aligned(line, widths))
		}
	}
	fmt.Fprintln(b, "answers:", c.answered())
	for _, line := range c.remarks() {
		fmt.Fprintln(b, sheet.Wrap(line))
	}
	for _, line := range grouped(c.Differences) {
		fmt.Fprintln(b, sheet.Wrap(line))
	}
}

// grouped writes the differences of each place in one line.
func grouped(list []Difference) (lines []string) {
	where := ""
	for _, d := range list {
		text := fmt.Sprintf("%s %s against %s", d.Name, d.Base, d.New)
		if d.Where == where {
			lines[len(lines)-1] += "; " + text
			continue
		}
		where = d.Where
		lines = append(lines, fmt.Sprintf("differs, %s: %s", where, text))
	}
	return lines
}

// widths returns the width of each column, over all pairs.
func (c *Comparison) widths() []int {
	widths := make([]int, len(head()))
	rows := [][]string{head()}
	for _, p := range c.Pairs {
		rows = append(rows, p.lines()...)
	}
	for _, row := range rows {
		for i, field := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(field))
		}
	}
	return widths
}

// aligned writes numbers at the right of their columns, and the answer at the left.
func aligned(row []string, widths []int) string {
	var b strings.Builder
	for i, field := range row {
		b.WriteString("  ")
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(field)))
		}
		b.WriteString(field)
	}
	return strings.TrimRight(b.String(), " ")
}

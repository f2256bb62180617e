package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/report/document"
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
	fmt.Fprintln(b, document.Wrap(c.meaning()))
	c.rows(b)
	fmt.Fprintln(b, "answers:", c.answered())
	for _, line := range c.remarks() {
		fmt.Fprintln(b, document.Wrap(line))
	}
	for _, line := range grouped(c.Differences) {
		fmt.Fprintln(b, document.Wrap(line))
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

// rows writes the rows of all pairs in columns of the same width, each pair below
// its name.
func (c *Comparison) rows(b *bytes.Buffer) {
	table := document.Table{Head: head(), Align: "rrrrrl"}
	for _, p := range c.Pairs {
		table.Rows = append(table.Rows, p.lines()...)
	}
	lines := strings.SplitAfter(table.Text(), "\n")
	b.WriteString("  " + lines[0])
	lines = lines[1:]
	for _, p := range c.Pairs {
		fmt.Fprintf(b, "%s: %s\n", p.name(), p.runs())
		n := len(p.lines())
		b.WriteString("  " + strings.Join(lines[:n], "  "))
		lines = lines[n:]
	}
}

package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/report/document"
)

// Markdown writes comparisons for the comment of a pull request: the answers first,
// settings and environment folded away.
func Markdown(w io.Writer, list ...*Comparison) error {
	var b bytes.Buffer
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		c.markdown(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Comparison) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "### Latency: %s\n\n", c.answered())
	fmt.Fprintf(b, "BASE %s  \nNEW %s\n\n", document.Escape(c.Base.String()), document.Escape(c.New.String()))
	columns := append([]string{"cell"}, head()...)
	fmt.Fprintf(b, "| %s |\n|:--|:--|--:|--:|--:|:-:|:--|\n", strings.Join(columns, " | "))
	for _, p := range c.Pairs {
		for i, line := range p.lines() {
			fmt.Fprintf(b, "| %s |\n", strings.Join(p.markdown(i, line), " | "))
		}
	}
	fmt.Fprintf(b, "\n%s\n", c.meaning())
	for _, line := range c.remarks() {
		fmt.Fprintf(b, "\n%s\n", document.Escape(line))
	}
	if len(c.Differences) > 0 {
		fmt.Fprintf(b, "\n<details><summary>What differs in settings and environment: %d</summary>\n\n", len(c.Differences))
		for _, d := range c.Differences {
			fmt.Fprintf(b, "- %s\n", document.Escape(d.String()))
		}
		fmt.Fprintln(b, "\n</details>")
	}
}

// markdown returns the fields of a pair's i-th line; the first names the pair.
func (p Pair) markdown(i int, line []string) []string {
	name := ""
	if i == 0 {
		name = fmt.Sprintf("%s (%s)", p.name(), p.runs())
	}
	fields := []string{document.Escape(name)}
	for _, field := range line {
		fields = append(fields, document.Escape(field))
	}
	if last := len(fields) - 1; fields[last] == string(Slower) || fields[last] == string(Faster) {
		fields[last] = "**" + fields[last] + "**"
	}
	return fields
}

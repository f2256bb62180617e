package document

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Markdown returns the document for a page or a comment, with an empty line between blocks.
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

// Markdown returns a table of GitHub's flavour. It escapes markup in fields.
func (t Table) Markdown() string {
	marks := strings.Join(strings.Split(t.align()[:len(t.Head)], ""), " | ")
	marks = strings.NewReplacer("l", ":--", "r", "--:").Replace(marks)
	var b strings.Builder
	for i, row := range t.all() {
		fields := make([]string, max(len(t.Head), len(row)))
		for i, field := range row {
			fields[i] = Escape(field)
			if slices.Contains(t.Bold, field) {
				fields[i] = "**" + fields[i] + "**"
			}
		}
		b.WriteString("| " + strings.Join(fields, " | ") + " |\n")
		if i == 0 {
			b.WriteString("| " + marks + " |\n")
		}
	}
	return b.String()
}

var markup = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "~", "\\~",
	"<", "&lt;", ">", "&gt;", "&", "&amp;")

// Escape returns text as Markdown shows it, on one line, in a paragraph or in a
// table.
func Escape(text string) string {
	return markup.Replace(strings.Map(func(r rune) rune { return max(r, ' ') }, text))
}

// ReplaceMade replaces the text between the two lines of the file at path that mark it as written by
// the make target.
func ReplaceMade(path, target, text string) error {
	begin, end := "<!-- begin: written by make "+target+" -->", "<!-- end: written by make "+target+" -->"
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, begun := bytes.Cut(old, []byte(begin))
	_, tail, ended := bytes.Cut(rest, []byte(end))
	if !begun || !ended {
		return fmt.Errorf("%s does not hold the lines %q and %q", path, begin, end)
	}
	text = fmt.Sprintf("%s%s\n\n%s\n%s%s", head, begin, text, end, tail)
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // it is there, and for everyone to read
}

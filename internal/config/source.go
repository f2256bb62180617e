package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// A source is a plan file with its lines, which mistakes show.
type source struct {
	name  string
	data  string
	lines []string
}

var (
	// lineBreak is what YAML counts as the end of a line.
	lineBreak = regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")
	notTab    = regexp.MustCompile(`[^\t]`)
	// userinfo is everything between a scheme and the last @ of the line: it is better
	// to hide too much. It also finds URLs without slashes and in a variable's default.
	userinfo = regexp.MustCompile(`(\w:(?:-\w[\w+.-]*:)?/*)[^\s/].*@`)
)

func newSource(name string, data []byte) source {
	text := strings.TrimPrefix(string(data), "\ufeff")
	return source{name, text, lineBreak.Split(text, -1)}
}

// A place is where a value comes from: a position in the file, a flag or a variable.
type place struct {
	line, column int    // from 1, the column in characters; 0: not in the file
	label        string // if line is 0: such as --rate; "" if the message says it
}

func placeOf(n *yaml.Node) place { return place{line: n.Line, column: n.Column} }

// where returns file:line:column, or the label.
func (s source) where(p place) string {
	if p.line == 0 {
		return p.label
	}
	return fmt.Sprintf("%s:%d:%d", s.name, p.line, p.column)
}

// line returns a line, counted from 1; "" if there is none.
func (s source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// excerpt returns the line of the place with a mark below the column. It ends with
// a newline unless it is empty.
func (s source) excerpt(p place, hide func(string) string) string {
	if p.line < 1 || p.line > len(s.lines) {
		return ""
	}
	line := []rune(s.line(p.line))
	hidden := []rune(hide(redact(string(line))))
	column := moved(line, hidden, max(p.column-1, 0))
	hidden, column = clip(hidden, min(column, len(hidden)))
	indent := notTab.ReplaceAllString(string(hidden[:column]), " ")
	return fmt.Sprintf("%7d | %s\n%7s | %s^\n", p.line, printable(hidden), "", indent)
}

// moved returns the place in hidden of a column of line. The two differ in one
// stretch; a column in it moves to its beginning.
func moved(line, hidden []rune, column int) int {
	same := 0
	for same < min(len(line), len(hidden)) && line[same] == hidden[same] {
		same++
	}
	if column <= same {
		return column
	}
	tail := 0
	for tail < min(len(line), len(hidden))-same && line[len(line)-1-tail] == hidden[len(hidden)-1-tail] {
		tail++
	}
	if column >= len(line)-tail {
		return column + len(hidden) - len(line)
	}
	return same
}

// clip cuts a long line to the part around column.
func clip(line []rune, column int) ([]rune, int) {
	const width = 100
	if len(line) <= width {
		return line, column
	}
	start := max(0, min(column-width/2, len(line)-width))
	cut := append([]rune{}, line[start:start+width]...)
	if start > 0 {
		cut[0] = '…'
	}
	if start+width < len(line) {
		cut[width-1] = '…'
	}
	return cut, column - start
}

// printable replaces control characters, which a terminal would obey.
func printable(line []rune) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(line))
}

// redact hides the user info of URLs in one line of text.
func redact(text string) string { return userinfo.ReplaceAllString(text, "${1}xxxxx@") }

// quote quotes what a user wrote, without secrets.
func quote(text string) string {
	text = redact(text)
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

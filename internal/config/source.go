package config

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/config/excerpt"
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
	line := s.line(p.line)
	return excerpt.Of(p.line, line, hide(redact(line)), p.column)
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

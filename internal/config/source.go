package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A source is a plan file with its lines, which mistakes show.
type source struct {
	name  string
	data  []byte
	lines []string
}

var (
	// lineBreak is what YAML counts as the end of a line.
	lineBreak = regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")
	notTab    = regexp.MustCompile(`[^\t]`)
	// forbidden finds characters that YAML does not allow unescaped, within a line.
	forbidden = regexp.MustCompile(`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\x{fffe}\x{ffff}]`)
	// userinfo is everything between a scheme and the last @ of the line: it is better
	// to hide too much. It also finds URLs without slashes and in a variable's default.
	userinfo = regexp.MustCompile(`(\w:(?:-\w[\w+.-]*:)?/*)[^\s/].*@`)
)

func newSource(name string, data []byte) *source {
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	return &source{name: name, data: data, lines: lineBreak.Split(string(data), -1)}
}

// A place is where a value comes from: a position in a file, a flag or a variable.
type place struct {
	src          *source
	line, column int    // from 1, the column in characters; 0 is unknown
	label        string // if src is nil: such as --rate; "" if the message says it
}

func (s *source) at(line, column int) place { return place{src: s, line: line, column: column} }

// line returns a line, counted from 1; "" if there is none.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// String returns file:line:column, or the label.
func (p place) String() string {
	switch {
	case p.src == nil:
		return p.label
	case p.line == 0:
		return p.src.name
	}
	return fmt.Sprintf("%s:%d:%d", p.src.name, p.line, p.column)
}

// order sorts places in a file before all others.
func (p place) order() []int {
	if p.src == nil {
		return []int{1}
	}
	return []int{0, p.line, p.column}
}

// excerpt returns the line of the place with a mark below the column. It ends with
// a newline unless it is empty.
func (p place) excerpt(hide func(string) string) string {
	if p.src == nil || p.line < 1 || p.line > len(p.src.lines) {
		return ""
	}
	line := []rune(p.src.line(p.line))
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

// unreadable returns the place of the first character that YAML does not allow.
func (s *source) unreadable() (place, bool) {
	for i, line := range s.lines {
		line = strings.ToValidUTF8(line, "\x00")
		if at := forbidden.FindStringIndex(line); at != nil {
			return s.at(i+1, utf8.RuneCountInString(line[:at[0]])+1), true
		}
	}
	return place{}, false
}

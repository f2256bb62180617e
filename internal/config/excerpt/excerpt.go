// Package excerpt shows a line of a file with a mark below a column.
package excerpt

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var notTab = regexp.MustCompile(`[^\t]`)

// Of returns line n with a mark below the column, which counts characters from 1. Hidden is the line without
// its secrets, which is shown. Both lines of the excerpt end with a newline.
func Of(n int, line, hidden string, column int) string {
	shown := []rune(hidden)
	at := moved([]rune(line), shown, max(column-1, 0))
	shown, at = clip(shown, min(at, len(shown)))
	indent := notTab.ReplaceAllString(string(shown[:at]), " ")
	return fmt.Sprintf("%7d | %s\n%7s | %s^\n", n, printable(shown), "", indent)
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

package live

import (
	"fmt"
	"strings"
	"testing"
)

// A terminal is what a Screen writes to in tests: it follows the control
// sequences that are used, and no others.
type terminal struct {
	t             *testing.T
	columns, rows int
	lines         [][]rune // all that was ever scrolled, each of columns at most
	row, column   int
	writes        int
}

func newTerminal(t *testing.T, columns, rows int) *terminal {
	return &terminal{t: t, columns: columns, rows: rows, lines: make([][]rune, 1)}
}

func (v *terminal) size() (columns, rows int) { return v.columns, v.rows }

// Write implements io.Writer.
func (v *terminal) Write(p []byte) (int, error) {
	v.writes++
	for text := []rune(string(p)); len(text) > 0; {
		text = text[v.step(text):]
	}
	return len(p), nil
}

// step follows what text begins with and returns its length.
func (v *terminal) step(text []rune) int {
	switch text[0] {
	case '\r':
		v.column = 0
	case '\n':
		v.column = 0
		v.down()
	case 0x1b:
		return v.control(string(text))
	default:
		v.put(text[0])
	}
	return 1
}

func (v *terminal) down() {
	if v.row++; v.row == len(v.lines) {
		v.lines = append(v.lines, nil)
	}
}

func (v *terminal) put(r rune) {
	if v.column == v.columns {
		v.column = 0
		v.down()
	}
	line := v.lines[v.row]
	for len(line) <= v.column {
		line = append(line, ' ')
	}
	line[v.column] = r
	v.lines[v.row] = line
	v.column++
}

func (v *terminal) control(text string) int {
	var n int
	switch {
	case strings.HasPrefix(text, eraseLine):
		v.eraseLine()
		return len(eraseLine)
	case strings.HasPrefix(text, eraseScreen):
		v.eraseLine()
		for i := v.row + 1; i < len(v.lines); i++ {
			v.lines[i] = nil
		}
		return len(eraseScreen)
	}
	if _, err := fmt.Sscanf(text, upLines, &n); err != nil {
		v.t.Fatalf("unknown control sequence %q", text)
	}
	v.row = max(v.row-n, len(v.lines)-v.rows, 0) // what has scrolled away is out of reach
	return len(fmt.Sprintf(upLines, n))
}

func (v *terminal) eraseLine() { v.lines[v.row] = v.lines[v.row][:min(v.column, len(v.lines[v.row]))] }

// resize wraps all lines anew, as most terminals do.
func (v *terminal) resize(columns int) {
	old := v.lines
	v.columns, v.lines = columns, nil
	for i, line := range old {
		if i == v.row {
			v.row = len(v.lines) // the cursor is at its beginning
			v.lines = append(v.lines, line)
			break
		}
		for len(line) > columns {
			v.lines = append(v.lines, line[:columns:columns])
			line = line[columns:]
		}
		v.lines = append(v.lines, line)
	}
}

// String returns what stands there, without spaces at the ends of lines.
func (v *terminal) String() string {
	var b strings.Builder
	for _, line := range v.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

package live

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// The control sequences that a Screen uses. Every terminal knows them.
const (
	upLines     = "\x1b[%dA"
	eraseLine   = "\x1b[K" // from the cursor on
	eraseScreen = "\x1b[J" // from the cursor on
)

// A Screen redraws a few lines at the end of what a terminal shows, without
// flicker: it moves up, writes over the old lines, and erases only the rest. As an
// io.Writer it takes whole lines that are to stay. They replace the drawn lines,
// which come back beneath with the next Draw.
//
// It is safe for concurrent use: an interrupt is reported at any time.
type Screen struct {
	size func() (columns, rows int)

	mu    sync.Mutex
	w     io.Writer
	drawn []int // the length of each line that is drawn
}

// NewScreen returns a Screen on a terminal. size returns the terminal's size, 0 if
// unknown.
func NewScreen(w io.Writer, size func() (columns, rows int)) *Screen {
	return &Screen{w: w, size: size}
}

// Size returns how wide a line may be and how many lines may be drawn. The last
// column stays free, because some terminals begin a new line after it, and so does
// the last line, for the cursor.
func (s *Screen) Size() (columns, lines int) {
	columns, rows := s.size()
	if columns <= 0 {
		columns = 80
	}
	if rows <= 0 {
		rows = 24
	}
	return max(columns-1, 1), max(rows-1, 1)
}

// Draw replaces the drawn lines, and cuts the new ones to the screen's size.
func (s *Screen) Draw(lines []string) {
	columns, rows := s.Size()
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	s.back(&b, columns)
	var drawn []int
	for _, line := range lines[:min(len(lines), rows)] {
		line = words.Clip(words.Plain(line), columns)
		drawn = append(drawn, len([]rune(line)))
		b.WriteString(line + eraseLine + "\n")
	}
	b.WriteString(eraseScreen)
	if _, err := io.WriteString(Progress(s.w), b.String()); err == nil {
		s.drawn = drawn // else the old lines are still there
	}
}

// Clear removes the drawn lines.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return Plain{s.w}.Write(p)
}

func (s *Screen) erase() {
	if len(s.drawn) == 0 {
		return
	}
	columns, _ := s.Size()
	var b strings.Builder
	s.back(&b, columns)
	if _, err := io.WriteString(s.w, b.String()+eraseScreen); err == nil {
		s.drawn = nil
	}
}

// back moves to the first drawn line. If the terminal has become narrower since,
// it has wrapped the lines.
func (s *Screen) back(b *strings.Builder, columns int) {
	rows := 0
	for _, length := range s.drawn {
		rows += max(1, (length+columns)/(columns+1))
	}
	b.WriteString("\r")
	if rows > 0 {
		fmt.Fprintf(b, upLines, rows)
	}
}

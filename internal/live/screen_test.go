package live

import (
	"fmt"
	"strings"
	"testing"
)

func wantShown(t *testing.T, v *terminal, want ...string) {
	t.Helper()
	if got := v.String(); got != strings.Join(want, "\n") {
		t.Errorf("the terminal shows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestDrawReplacesWhatItDrew(t *testing.T) {
	v := newTerminal(t, 20, 10)
	fmt.Fprintln(v, "$ command")
	s := NewScreen(v, v.size)
	s.Draw([]string{"one is long", "two", "three"})
	wantShown(t, v, "$ command", "one is long", "two", "three")
	s.Draw([]string{"1", "2"})
	wantShown(t, v, "$ command", "1", "2")
	s.Draw([]string{"this line is far too long", "2", "3"})
	wantShown(t, v, "$ command", "this line is far t…", "2", "3")
	s.Clear()
	wantShown(t, v, "$ command")
	fmt.Fprintln(v, "the table")
	wantShown(t, v, "$ command", "the table")
}

// What others say stays, above what is drawn next.
func TestWriteStaysAboveTheDrawn(t *testing.T) {
	v := newTerminal(t, 20, 10)
	s := NewScreen(v, v.size)
	fmt.Fprintln(s, "first")
	s.Draw([]string{"drawn", "drawn"})
	fmt.Fprintln(s, "\ninterrupted")
	wantShown(t, v, "first", "", "interrupted")
	s.Draw([]string{"again"})
	wantShown(t, v, "first", "", "interrupted", "again")
}

// No moment in which a line is gone: nothing is erased before it is written over,
// and all is one write.
func TestDrawDoesNotFlicker(t *testing.T) {
	v := newTerminal(t, 20, 10)
	var out strings.Builder
	s := NewScreen(&out, v.size)
	s.Draw([]string{"one", "two"})
	out.Reset()
	s.Draw([]string{"one", "two"})
	if got, want := out.String(), "\r\x1b[2Aone\x1b[K\ntwo\x1b[K\n\x1b[J"; got != want {
		t.Errorf("redrawn with %q, want %q", got, want)
	}
	s = NewScreen(v, v.size)
	if s.Draw([]string{"one", "two", "three"}); v.writes != 1 {
		t.Errorf("%d writes", v.writes)
	}
}

func TestDrawOnATerminalThatBecameNarrower(t *testing.T) {
	v := newTerminal(t, 30, 20)
	fmt.Fprintln(v, "$ command")
	s := NewScreen(v, v.size)
	for _, columns := range []int{30, 12, 7, 30} {
		v.resize(columns)
		s.Draw([]string{"twenty-five characters ok", "short"})
	}
	wantShown(t, v, "$ comma", "nd", "twenty-five characters ok", "short")
	v.resize(10)
	s.Clear()
	wantShown(t, v, "$ comma", "nd")
}

func TestDrawOnAVeryLowTerminal(t *testing.T) {
	v := newTerminal(t, 20, 3)
	fmt.Fprint(v, "1\n2\n3\n")
	s := NewScreen(v, v.size)
	for range 3 {
		s.Draw([]string{"a", "b", "c", "d"})
	}
	wantShown(t, v, "1", "2", "3", "a", "b")
}

func TestAnUnknownSizeIs80By24(t *testing.T) {
	s := NewScreen(nil, func() (int, int) { return 0, 0 })
	if columns, lines := s.Size(); columns != 79 || lines != 23 {
		t.Errorf("%d columns, %d lines", columns, lines)
	}
	s = NewScreen(nil, func() (int, int) { return 1, 1 })
	if columns, lines := s.Size(); columns != 1 || lines != 1 {
		t.Errorf("%d columns, %d lines", columns, lines)
	}
}

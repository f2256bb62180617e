package excerpt

import (
	"strings"
	"testing"
)

func TestClip(t *testing.T) {
	line := []rune(strings.Repeat("0123456789", 30))
	for column := range len(line) + 1 {
		cut, at := clip(line, column)
		if len(cut) != 100 || at < 0 || at > 100 {
			t.Fatalf("column %d: %d characters, mark at %d", column, len(cut), at)
		}
		if at < 100 && cut[at] != '…' && cut[at] != line[column] {
			t.Fatalf("column %d: the mark is at %c, want %c", column, cut[at], line[column])
		}
	}
}

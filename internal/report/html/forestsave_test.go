package html_test

import (
	"slices"
	"strings"
	"testing"
)

// The forest plot is saved as CSV, with its rows as they are shown, and as PNG, with the
// colours that it has on the screen.
func TestTheForestIsSaved(t *testing.T) {
	b := show(t, "dark", forestStore(t))
	rows, width := b.saved("answer")
	if len(rows) != 5 || width < 800 {
		t.Fatalf("%d rows, a picture %d pixels wide", len(rows), width)
	}
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row[1], row[2], row[8], row[14], row[16]}, " "))
	}
	if want := []string{"target rate_per_s verdict p99_limited_by missing", "open 2000 valid  0", "limited 2000 valid this machine 0", "lossy 2000 invalid  400", "plain 4000 valid  0"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

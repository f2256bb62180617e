package comparison_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// wantGolden wants a document to be what testdata/name.txt, .md and .csv hold.
func wantGolden(t *testing.T, name string, d *document.Document) {
	t.Helper()
	for format, ending := range map[document.Format]string{document.Text: ".txt", document.Markdown: ".md", document.CSV: ".csv"} {
		golden.Check(t, name+ending, written(t, d, format))
	}
}

// kept reads what the test of another package keeps as a golden file.
func kept(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// written writes a document.
func written(t *testing.T, d *document.Document, format document.Format) string {
	t.Helper()
	var b strings.Builder
	if err := d.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wantNarrow wants no line to be wider than a terminal.
func wantNarrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > document.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

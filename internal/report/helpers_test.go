package report_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"reflect"
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

// A named is a document with a name.
type named struct {
	name string
	of   *document.Document
}

// wantTogether wants the texts of documents to be what a file in testdata holds.
func wantTogether(t *testing.T, name string, list []named) {
	t.Helper()
	text := ""
	for _, d := range list {
		text += "--- " + d.name + "\n" + written(t, d.of, document.Text)
	}
	golden.Check(t, name, text)
}

// wantJSON wants a document's JSON to be read back as a value.
func wantJSON[T any](t *testing.T, d *document.Document, want T) {
	t.Helper()
	var got T
	if err := json.Unmarshal([]byte(written(t, d, document.JSON)), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %+v, want %+v", err, got, want)
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

// rows reads a CSV.
func rows(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

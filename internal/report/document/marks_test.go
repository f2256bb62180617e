package document_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/document"
)

const begin, end = "<!-- begin: written by make bench -->", "<!-- end: written by make bench -->"

func TestReplaceTouchesOnlyWhatIsBetweenTheMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	text := func(between string) string { return "# Head\n\n" + begin + between + end + "\n\nTail\n" }
	for _, old := range []string{text("\n"), text("\nold table\n"), text("")} {
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing more
			if err := document.ReplaceMade(path, "bench", "new table\n"); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(path)
			if want := text("\n\nnew table\n\n"); string(got) != want {
				t.Errorf("from %q: got %q, want %q", old, got, want)
			}
		}
	}
	for _, old := range []string{"", "no marks", begin, end, end + begin} {
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := document.ReplaceMade(path, "bench", "new table\n"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got error %v, want one that names %s", old, err, path)
		}
		if got, _ := os.ReadFile(path); string(got) != old {
			t.Errorf("%q became %q in spite of the error", old, got)
		}
	}
}

// The make targets can rewrite the documents of this repository.
func TestTheDocumentsHaveTheirMarks(t *testing.T) {
	for name, targets := range map[string][]string{"performance.md": {"bench", "soak"}, "durability.md": {"durability"}} {
		text, err := os.ReadFile("../../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			if err := document.ReplaceMade(path, target, ""); err != nil {
				t.Error(err)
			}
		}
	}
}

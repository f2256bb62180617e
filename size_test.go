package brokerbench_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxLines bounds a package without its tests: more is more than one idea.
const maxLines = 2500

// large are the packages that are still larger, with their bounds. The list only shrinks.
var large = map[string]int{}

func TestNoPackageIsTooLarge(t *testing.T) {
	lines, all := make(map[string]int), 0
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(text), "\n")
		lines[path.Dir(file)], all = lines[path.Dir(file)]+n, all+n
	}
	for folder, n := range lines {
		if bound := max(maxLines, large[folder]); n > bound {
			t.Errorf("%s has %d lines, more than %d", folder, n, bound)
		}
	}
	for folder := range large {
		if lines[folder] <= maxLines {
			t.Errorf("%s has %d lines: take it off the list of large packages", folder, lines[folder])
		}
	}
	t.Logf("%d lines in %d packages", all, len(lines))
}

// public are the packages that other modules may import: the rest is in internal folders or is a
// program. README has a paragraph on their stability.
var public = []string{
	"brokers", "brokers/target", "cmd", "deploy/local", "histogram", "measure", "plan", "plan/payload", "plan/schedule", "requester", "requester/load",
	"requester/requestertest", "results",
}

func TestImportablePackages(t *testing.T) {
	var found []string
	for folder := range layers {
		if strings.Contains("/"+folder+"/", "/internal/") || within(folder, "tools") || within(folder, "examples") || folder == "cmd/brokerbench" {
			continue
		}
		found = append(found, folder)
	}
	if slices.Sort(found); !slices.Equal(found, public) {
		t.Errorf("importable packages:\n%q, want\n%q", found, public)
	}
}

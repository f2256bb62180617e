package brokerbench_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// floors are the folders from the bottom up, one line a floor. A folder imports those below
// it and its own, never one above. The longest entry that matches a folder counts.
var floors = []string{
	"internal/leaf", "deploy", "plan", "histogram", "internal/stats", "requester", "internal/setup", "internal/content", "internal/loopback", "requester/load",
	"internal/echo", "requester/requestertest", "internal/loopback/tcp", "internal/config", "internal/confidence", "internal/omb",
	"results", "internal/powercut", "internal/resultstest", "internal/sections", "internal/source", "internal/merge", "internal/compare", "internal/answer",
	"internal/machine", "internal/causes", "internal/record", "internal/users", "internal/judge", "internal/backlog", "measure", "internal/systems", "internal/faults",
	"internal/canary", "internal/run", "internal/search", "internal/verify", "internal/claims",
	"internal/agents", "brokers", "internal/run/testbed", "internal/report", "internal/live", "cmd", "tools", "examples",
}

// debts are imports that break a rule below and are about to go. The list only shrinks.
var debts = map[[2]string]bool{
	{"requester", "requester/load"}: true, // an example
}

// wings can each be deleted: only cmd and internal/run know them.
var wings = []string{"internal/faults", "internal/systems", "internal/agents"}

// knowWings are the folders that may import wings.
var knowWings = []string{"internal/run", "cmd", "tools"}

func TestWingsStandAlone(t *testing.T) {
	for folder, allowed := range layers {
		if slices.ContainsFunc(knowWings, func(name string) bool { return within(folder, name) }) {
			continue
		}
		for _, imported := range allowed {
			for _, wing := range wings {
				if within(imported, wing) && !within(folder, wing) && !debts[[2]string{folder, imported}] {
					t.Errorf("%s imports %s, which is in a wing", folder, imported)
				}
			}
		}
	}
}

// TestNoTestImportsUpward holds test files to the floors, too; the modules that they use besides
// are free.
func TestNoTestImportsUpward(t *testing.T) {
	for _, file := range files(t, true) {
		folder := path.Dir(file)
		for _, name := range imports(t, file) {
			imported, ours := strings.CutPrefix(name, module)
			if ours && floor(t, imported) > floor(t, folder) && !debts[[2]string{folder, imported}] {
				t.Errorf("%s imports %s, which is on a floor above", file, imported)
			}
		}
	}
}

func TestNoArrowRunsUp(t *testing.T) {
	for folder, allowed := range layers {
		for _, imported := range allowed {
			if _, ours := layers[imported]; ours && floor(t, imported) > floor(t, folder) && !debts[[2]string{folder, imported}] {
				t.Errorf("%s imports %s, which is on a floor above", folder, imported)
			}
		}
	}
}

// floor returns the index of a folder's floor.
func floor(t *testing.T, folder string) int {
	t.Helper()
	best := -1
	for i, name := range floors {
		if within(folder, name) && (best < 0 || len(name) > len(floors[best])) {
			best = i
		}
	}
	if best < 0 {
		t.Fatalf("the folder %s is on no floor", folder)
	}
	return best
}

// within reports whether folder is the folder called name or inside it.
func within(folder, name string) bool { return folder == name || strings.HasPrefix(folder, name+"/") }

package brokerbench_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wingFiles are the files besides a wing's folder that are deleted with it: those that wire it. Those
// in the folders that wire wings whose names begin with that of the wing, such as faultsnetwork.go,
// are among them anyway.
var wingFiles = map[string][]string{
	"internal/faults":  {"cmd/internal/cli/fault.go", "internal/run/testbed/systemsfaults.go"},
	"internal/systems": {},
	"internal/agents":  {"cmd/internal/cli/agent.go", "cmd/internal/cli/resume.go"},
}

// wiring are the folders in which wings are wired: lines there that end with a comment that is the
// folder of a wing are deleted with it, too.
var wiring = []string{"cmd/internal/cli", "internal/run/testbed"}

// Without the folder of a wing, and the files that wire it, everything else builds.
func TestEachWingCanBeDeleted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tree three times")
	}
	for _, wing := range wings {
		t.Run(path.Base(wing), func(t *testing.T) {
			overlay := without(t, wing)
			var builds []string
			for _, folder := range slices.Sorted(maps.Keys(layers)) {
				if !within(folder, wing) {
					builds = append(builds, "./"+folder)
				}
			}
			if text, err := exec.Command("go", append([]string{"build", "-overlay", overlay}, builds...)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			t.Logf("%d of %d packages build without %s", len(builds), len(layers), wing)
		})
	}
}

// without returns an overlay for go build in which a wing does not exist.
func without(t *testing.T, wing string) (file string) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replaced, dir := make(map[string]string), t.TempDir()
	for i, name := range goFiles(t) {
		at, wires := filepath.Join(here, filepath.FromSlash(name)), slices.Contains(wiring, path.Dir(name))
		switch {
		case within(name, wing) || slices.Contains(wingFiles[wing], name) || wires && strings.HasPrefix(path.Base(name), path.Base(wing)):
			replaced[at] = ""
		case wires:
			kept := filepath.Join(dir, fmt.Sprint(i, ".go"))
			if err := os.WriteFile(kept, unlinked(t, at, wing), 0o600); err != nil {
				t.Fatal(err)
			}
			replaced[at] = kept
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// unlinked returns a file without the lines that link a wing.
func unlinked(t *testing.T, file, wing string) (text []byte) {
	t.Helper()
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(all) {
		if !bytes.HasSuffix(bytes.TrimSpace(line), []byte("// "+wing)) {
			text = append(text, line...)
		}
	}
	return text
}

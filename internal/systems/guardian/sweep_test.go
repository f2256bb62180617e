//go:build linux

package guardian

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// Hosts may share the folder of journals: what another host left is its own, and after a boot processes
// and mounts are gone, but not files.
func TestJournalsOfOtherHostsAndBoots(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	other := here()
	other.Host += "-other"
	earlier := here()
	earlier.Boot = "earlier"
	for _, on := range []place{other, earlier} {
		j, err := createJournal()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(Folder(), on.Host+".data")
		self := process.ID{PID: os.Getpid()}
		if err := errors.Join(
			os.WriteFile(file, nil, 0o600), j.write(change{On: &on}), j.write(change{Number: 1, Undo: &Undo{Remove: file}}),
			j.write(change{Number: 2, Undo: &Undo{Kill: &self}}), j.file.Close(),
		); err != nil {
			t.Fatal(err)
		}
	}
	undone, err := Sweep(false)
	if err != nil || len(undone) != 1 || undone[0].Undo.Remove != filepath.Join(Folder(), earlier.Host+".data") {
		t.Errorf("%+v, %v", undone, err)
	}
	left, _ := filepath.Glob(filepath.Join(Folder(), "*"))
	if len(left) != 2 { // the journal and the file of the other host
		t.Errorf("left: %v", left)
	}
}

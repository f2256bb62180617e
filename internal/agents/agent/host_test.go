//go:build linux || darwin

package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Agents of one run share a machine, those of another are refused, until the first run is over.
func TestAMachineMeasuresForOneRun(t *testing.T) {
	dir := t.TempDir()
	first, second, other := NewHost(dir, "r1"), NewHost(dir, "r1"), NewHost(dir, "r2")
	for _, h := range []*Host{first, second, first} {
		if err := h.Hold(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := other.Hold(); err == nil || !strings.Contains(err.Error(), "run r1 measures on this machine (process ") || !strings.Contains(err.Error(), "wait until it is over") {
			t.Fatal(err)
		}
		_ = second.file.Close() // one of its agents has ended
	}
	_ = first.file.Close()
	if err := other.Hold(); err != nil {
		t.Error(err)
	}
	if err := NewHost(dir, "r1").Hold(); err == nil || !strings.Contains(err.Error(), "run r2 measures") {
		t.Error(err)
	}
}

// A link in the place of the lock is not followed.
func TestALinkIsNoLock(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := NewHost(dir, "r1")
	if err := os.Symlink(other, h.path); err != nil {
		t.Fatal(err)
	}
	err := h.Hold()
	if text, _ := os.ReadFile(other); err == nil || string(text) != "mine" {
		t.Errorf("%v, the file has %q", err, text)
	}
}

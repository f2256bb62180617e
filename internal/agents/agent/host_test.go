//go:build linux || darwin

package agent

import (
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

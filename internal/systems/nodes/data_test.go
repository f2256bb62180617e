//go:build linux

package nodes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

// A pod's data is on another machine, and some nodes name no folder.
func TestDataNodes(t *testing.T) {
	command := []string{"true"}
	s := newSystem(t, plan.System{Nodes: []plan.Node{
		{Name: "1", Command: command, Data: "/a"}, {Name: "2", Command: command}, {Name: "3", Pod: "kafka-0", Data: "/b"}, {Name: "4", Unit: "kafka", Data: "/c"},
	}})
	got := s.DataNodes()
	if len(got) != 2 || got[0].Data != "/a" || got[1].Data != "/c" {
		t.Errorf("got %+v, want the nodes 1 and 4", got)
	}
}

func TestScratchIsRemoved(t *testing.T) {
	s, data, used := newSystem(t, plan.System{Nodes: []plan.Node{{Name: "1", Command: []string{"true"}}}}), t.TempDir(), ""
	err := s.Scratch(data, func(folder string) {
		used = folder
		if err := os.WriteFile(filepath.Join(folder, "x"), []byte("x"), 0o600); err != nil {
			t.Error(err)
		}
	})
	if left, readErr := os.ReadDir(data); err != nil || readErr != nil || len(left) > 0 || filepath.Dir(used) != data {
		t.Errorf("used %s in %s, left %v, %v, %v", used, data, left, err, readErr)
	}
	if err := s.Scratch(filepath.Join(data, "gone"), func(string) { t.Error("used") }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is gone: %v", err)
	}
}

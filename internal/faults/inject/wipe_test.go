package inject_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/plan"
)

// A node is killed, all its data is removed but not the folder, and it starts again.
func TestANodeLosesItsData(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"log/segment", ".hidden", "top"} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		nodes := c.nodes()
		nodes[0].Data = folder
		b := inject.New(cell(plan.Fault{Do: plan.Wipe, Node: "1", Restart: 5 * time.Second}, plan.Fault{At: time.Minute, Do: plan.Wipe, Node: "2"}), inject.Options{Nodes: nodes})
		b.Begin(c, time.Now().Add(-warmup), warmup)
		time.Sleep(2 * time.Minute)
		got := heal(b, time.Minute)
		if f := got[0]; f.Error != "" || !f.Done() || f.HealedNS == nil || *f.HealedNS-f.BeganNS < int64(5*time.Second) {
			t.Errorf("got %+v", f)
		}
		if got[1].Done() || got[1].Error == "" {
			t.Errorf("a node without a known folder: %+v", got[1])
		}
	})
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Nothing is removed that is not a folder for the data of a node alone.
func TestWhatIsNotWiped(t *testing.T) {
	home, results := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", "/", "/etc", "/var", os.TempDir(), ".", "..", home, link, results, filepath.Join(home, "missing")} {
		if err := inject.Wipeable(folder, []string{results}, nil, true); err == nil {
			t.Errorf("%q would be wiped", folder)
		}
	}
	if err := inject.Wipeable(t.TempDir(), []string{results}, []string{"", t.TempDir()}, false); err != nil {
		t.Error(err)
	}
}

// The data of other nodes is not wiped with that of one.
func TestNodesThatShareAFolderAreNotWiped(t *testing.T) {
	data := t.TempDir()
	below := filepath.Join(data, "n1")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for folder, other := range map[string]string{data: data, below: data, data + "/": below} {
		if err := inject.Wipeable(folder, nil, []string{other}, true); err == nil {
			t.Errorf("%s would be wiped beside %s", folder, other)
		}
	}
}

package inject_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/plan"
)

// small mounts a small file system.
func small(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("only root can mount:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// What is mounted in the folder of a node's data is not its data; a disk for that alone may be.
func TestMountsAreNotWiped(t *testing.T) {
	folder := small(t)
	for of, disk := range map[string]bool{folder: false, filepath.Dir(folder): true} {
		if err := inject.Wipeable(of, nil, nil, disk); err == nil {
			t.Errorf("%s would be wiped", of)
		}
	}
	if err := inject.Wipeable(folder, nil, nil, true); err != nil {
		t.Error(err)
	}
}

func TestADiskIsFullForAWhile(t *testing.T) {
	folder := small(t)
	var guarded, forgotten string
	fault := plan.Fault{Do: plan.FillDisk, Node: "1", For: time.Minute}
	b := inject.New(cell(fault), inject.Options{
		Nodes: []inject.Node{{Node: plan.Node{Name: "1", Data: folder}}},
		Guard: func(left inject.Leftover) (func() error, error) {
			guarded = left.File
			return func() error { forgotten = left.File; return nil }, nil
		},
	})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	file := filepath.Join(folder, "of-the-node")
	full := func() bool { return os.WriteFile(file, make([]byte, 8<<10), 0o600) != nil }
	// Only look meanwhile: what is written, and removed once the disk is full, leaves space.
	var disk syscall.Statfs_t
	poll.Until(t, 20*time.Second, func() bool { return syscall.Statfs(folder, &disk) != nil || disk.Bfree == 0 }, "the disk is not full")
	if !full() {
		t.Errorf("%d blocks are free", disk.Bfree)
	}
	got := heal(b, time.Minute)[0]
	if got.Error != "" || got.HealedNS == nil || full() {
		t.Errorf("got %+v, still full: %v", got, full())
	}
	if guarded == "" || guarded != forgotten {
		t.Errorf("%q was guarded, %q forgotten", guarded, forgotten)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "brokerbench*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A disk that is full is not filled again, and what fills it is not removed before its time.
func TestADiskIsFilledOnce(t *testing.T) {
	folder := small(t)
	begin := func(faults ...plan.Fault) *inject.Injector {
		b := inject.New(cell(faults...), inject.Options{Nodes: []inject.Node{{Node: plan.Node{Name: "1", Data: folder}}}})
		b.Begin(silent{}, time.Now().Add(-warmup), warmup)
		return b
	}
	first := begin(plan.Fault{Do: plan.FillDisk, Node: "1", For: time.Minute})
	there(t, filepath.Join(folder, "brokerbench-fills-this-disk"))
	looked := filepath.Join(t.TempDir(), "looked")
	second := begin(
		plan.Fault{Do: plan.FillDisk, Node: "1", For: time.Millisecond},
		plan.Fault{At: 300 * time.Millisecond, Do: plan.Run, Command: []string{"sh", "-c", `ls "$0" >&2; touch "$1"; exit 1`, folder, looked}},
	)
	there(t, looked)
	got := append(heal(second, time.Minute), heal(first, time.Minute)...)
	if want := "node 1: its disk is filled already: brokerbench-fills-this-disk is there (if no other fault does that, remove it)"; got[0].Error != want || got[2].Error != "" {
		t.Errorf("got %q, and of the first %q", got[0].Error, got[2].Error)
	}
	if !strings.Contains(got[1].Error, "brokerbench-fills-this-disk") {
		t.Errorf("got %q", got[1].Error)
	}
}

// there waits for a file.
func there(t *testing.T, name string) {
	t.Helper()
	poll.Until(t, 20*time.Second, func() bool { _, err := os.Stat(name); return err == nil }, "%s is not there", name)
}

// The disk of this machine's system, and of what is spared, is never filled.
func TestADiskOfOthersIsNotFilled(t *testing.T) {
	folder := small(t)
	if err := inject.Fillable(folder, nil); err != nil {
		t.Error(err)
	}
	for folder, spare := range map[string][]string{t.TempDir(): nil, folder: {folder}, "/": nil, "/no/such/folder": nil, "": nil} {
		if err := inject.Fillable(folder, spare); err == nil {
			t.Errorf("%q may be filled", folder)
		}
	}
	b := inject.New(cell(plan.Fault{Do: plan.FillDisk, Node: "1"}), inject.Options{Nodes: []inject.Node{{Node: plan.Node{Name: "1", Data: "/"}}}})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	time.Sleep(10 * time.Millisecond)
	if got := heal(b, time.Minute)[0]; got.BrokenNS != 0 || got.Error != "the cell ended before" && !strings.Contains(got.Error, "must not be full") {
		t.Errorf("got %+v", got)
	}
}

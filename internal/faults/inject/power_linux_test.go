package inject_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/plan"
)

// disk mounts a file system in a file, or skips the test.
func disk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	image, folder := filepath.Join(dir, "image"), filepath.Join(dir, "disk")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Truncate(image, 32<<20), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop,noatime", image, folder}} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v: %s", args, err, out)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	return folder
}

// write writes a file, and syncs it if it shall.
func write(t *testing.T, name string, sync bool) {
	t.Helper()
	f, err := os.Create(name)
	if err == nil {
		_, err = f.WriteString("written")
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// What was synced is there after a loss of power, and nothing else, also of a file that was synced
// before. The node is started with the disk mounted as before.
func TestPowerIsCut(t *testing.T) {
	folder := disk(t)
	synced, not := filepath.Join(folder, "synced"), filepath.Join(folder, "not")
	write(t, synced, true)
	write(t, not, false)
	if err := os.WriteFile(synced, []byte("overwritten"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		nodes := c.nodes()
		nodes[0].Data = folder
		fault := plan.Fault{Do: plan.PowerOff, Node: "1", Restart: 5 * time.Second}
		b := inject.New(cell(fault), inject.Options{Nodes: nodes})
		b.Begin(c, time.Now().Add(-warmup), warmup)
		time.Sleep(2 * time.Second)
		if _, err := os.Create(filepath.Join(folder, "later")); !errors.Is(err, unix.EIO) {
			t.Errorf("writing without power: %v", err)
		}
		if !c.isGone(0) {
			t.Error("the node runs without power")
		}
		time.Sleep(time.Minute)
		if f := heal(b, time.Minute)[0]; f.Error != "" || !f.Done() || f.HealedNS == nil || c.isGone(0) {
			t.Errorf("got %+v, %v", f, c.log)
		}
	})
	if data, err := os.ReadFile(synced); string(data) != "written" {
		t.Errorf("what was synced: %q, %v", data, err)
	}
	if _, err := os.Stat(not); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was not synced: %v", err)
	}
	m, err := inject.PowerOff(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Options["noatime"]; !ok {
		t.Errorf("mounted with %v", m.Options)
	}
}

// Without a file system of its own that can lose its power, nothing happens to the node.
func TestPowerThatIsNotCut(t *testing.T) {
	folder := disk(t)
	other := t.TempDir()
	if err := unix.Mount(folder, other, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(other, unix.MNT_DETACH) })
	for _, folder := range []string{"", "/", t.TempDir(), small(t), folder} {
		synctest.Test(t, func(t *testing.T) {
			c := newCluster()
			nodes := c.nodes()
			nodes[0].Data = folder
			b := inject.New(cell(plan.Fault{Do: plan.PowerOff, Node: "1"}), inject.Options{Nodes: nodes})
			b.Begin(c, time.Now().Add(-warmup), warmup)
			time.Sleep(time.Minute)
			if f := heal(b, time.Minute)[0]; f.Error == "" || f.Done() || c.isGone(0) || len(c.log) > 0 {
				t.Errorf("%s: got %+v, %v", folder, f, c.log)
			}
		})
	}
}

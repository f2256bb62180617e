package inject_test

import (
	"context"
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
	"github.com/brokerbench/brokerbench/results"
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
	for _, args := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop,noatime,commit=600", image, folder}} {
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
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		nodes := c.nodes()
		nodes[0].Data = folder
		fault := plan.Fault{Do: plan.PowerOff, Node: "1", Restart: 5 * time.Second, Fresh: true}
		b := inject.New(cell(fault), inject.Options{Nodes: nodes})
		write(t, not, false)
		if err := os.WriteFile(synced, []byte("overwritten"), 0o600); err != nil {
			t.Fatal(err)
		}
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
	m, err := inject.PowerOff(folder, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Options["noatime"]; !ok {
		t.Errorf("mounted with %v", m.Options)
	}
}

// What was written before the first message is there, also what a server writes from its buffers 2 s late. What is written later
// is not. With agents, nothing waits for buffers.
func TestPowerIsCutAfterASync(t *testing.T) {
	for name, agents := range map[string]bool{"one process": false, "agents": true} {
		t.Run(name, func(t *testing.T) {
			folder, other := disk(t), disk(t)
			before, later := filepath.Join(folder, "before"), filepath.Join(folder, "later")
			synctest.Test(t, func(t *testing.T) {
				c := newCluster()
				nodes := c.nodes()
				nodes[0].Data, nodes[1].Data = folder, other
				b := inject.New(cell(plan.Fault{Do: plan.PowerOff, Node: "1", Restart: 5 * time.Second}), inject.Options{Nodes: nodes})
				if agents {
					write(t, before, false)
				} else {
					time.AfterFunc(2*time.Second, func() { write(t, before, false) })
					b.Ready(t.Context())
					write(t, later, false)
				}
				b.Begin(c, time.Now(), warmup)
				time.Sleep(time.Millisecond)
				write(t, later, false)
				time.Sleep(time.Minute)
				if f := heal(b, time.Minute)[0]; f.Error != "" || !f.Done() {
					t.Errorf("got %+v, %v", f, c.log)
				}
			})
			if data, err := os.ReadFile(before); string(data) != "written" {
				t.Errorf("what was written before: %q, %v", data, err)
			}
			if _, err := os.Stat(later); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what was written later: %v", err)
			}
		})
	}
}

// Only a power cut waits for buffers, and no longer than the run lasts.
func TestReady(t *testing.T) {
	for name, c := range map[string]struct {
		fault plan.Fault
		over  time.Duration // when the user interrupts it
		takes time.Duration
	}{
		"kill":        {plan.Fault{Do: plan.Kill, Node: "1"}, time.Hour, 0},
		"fresh":       {plan.Fault{Do: plan.PowerOff, Node: "1", Fresh: true}, time.Hour, 0},
		"power":       {plan.Fault{Do: plan.PowerOff, Node: "1"}, time.Hour, 3 * time.Second},
		"interrupted": {plan.Fault{Do: plan.PowerOff, Node: "1"}, time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.over)
				defer cancel()
				begun := time.Now()
				inject.New(cell(c.fault), inject.Options{Nodes: newCluster().nodes()}).Ready(ctx)
				if took := time.Since(begun); took != c.takes {
					t.Errorf("it took %v, want %v", took, c.takes)
				}
			})
		})
	}
}

// cut cuts the power of node 1 for a while, in which it calls without with the command of the guardian, and
// returns what came of it.
func cut(t *testing.T, folder string, without func(command []string), others ...string) (f results.Fault, gone bool) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		c := newCluster()
		nodes := c.nodes()
		nodes[0].Data = folder
		for i, other := range others {
			nodes[1+i].Data = other
		}
		var command []string
		b := inject.New(cell(plan.Fault{Do: plan.PowerOff, Node: "1"}), inject.Options{
			Nodes: nodes,
			Guard: func(left inject.Leftover) (func() error, error) {
				command = left.Command
				return func() error { return nil }, nil
			},
		})
		b.Begin(c, time.Now().Add(-warmup), warmup)
		time.Sleep(time.Minute)
		gone = c.isGone(0)
		without(command)
		f = heal(b, time.Minute)[0]
	})
	return f, gone
}

// Without a separate file system that can lose its power, nothing happens to the node.
func TestPowerThatIsNotCut(t *testing.T) {
	folder, shared, part := disk(t), disk(t), t.TempDir()
	bind := func(from, to string) {
		if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(to, unix.MNT_DETACH) })
	}
	bind(shared, t.TempDir())
	inner := filepath.Join(folder, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder string
		others []string
	}{{"", nil}, {"/", nil}, {t.TempDir(), nil}, {small(t), nil}, {shared, nil}, {folder, []string{inner}}} {
		if f, gone := cut(t, c.folder, func([]string) {}, c.others...); f.Error == "" || f.Done() || gone {
			t.Errorf("%+v: got %+v, gone %v", c, f, gone)
		}
	}
	bind(inner, part)
	if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	if f, gone := cut(t, part, func([]string) {}); f.Error == "" || f.Done() || gone {
		t.Errorf("a part: got %+v, gone %v", f, gone)
	}
}

// A file system that another mount namespace has cannot be mounted anew: the node is not started on it.
func TestPowerOfADiskThatAnotherNamespaceHas(t *testing.T) {
	folder := disk(t)
	other := exec.CommandContext(t.Context(), "unshare", "-m", "--propagation", "private", "sh", "-c", "echo ready; exec sleep 60")
	out, err := other.StdoutPipe()
	if err = errors.Join(err, other.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Skip("only root has mount namespaces:", err)
	}
	if f, _ := cut(t, folder, func([]string) {}); f.Error == "" || f.HealedNS != nil {
		t.Errorf("got %+v", f)
	}
}

// If the program dies before, the guardian's command mounts the disk again.
func TestPowerComesBackWithoutTheProgram(t *testing.T) {
	folder := disk(t)
	f, gone := cut(t, folder, func(command []string) {
		if len(command) == 0 {
			t.Fatal("nothing is registered with the guardian")
		}
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		write(t, filepath.Join(folder, "again"), true)
	})
	if f.Error != "" || !gone {
		t.Errorf("got %+v, gone %v", f, gone)
	}
	if m, err := inject.PowerOff(folder, nil, nil); err != nil {
		t.Error(err)
	} else if _, ok := m.Options["noatime"]; !ok {
		t.Errorf("mounted with %v", m.Options)
	}
}

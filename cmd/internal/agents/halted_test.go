//go:build linux

package agents

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// small mounts a disk of so many KiB, which only root may.
func small(t *testing.T, dir string, kib int) {
	t.Helper()
	mount(t, dir, fmt.Sprintf("size=%dk", kib))
}

// mount mounts a disk with a limit.
func mount(t *testing.T, dir, limit string) {
	t.Helper()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = syscall.Mount("tmpfs", dir, "tmpfs", 0, limit)
	}
	if err != nil {
		t.Skipf("NOT TESTED: a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// fill takes all space of a disk until the file is removed.
func fill(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "fill")
	if err := os.WriteFile(file, make([]byte, 64<<20), 0o600); err == nil {
		t.Fatal("the disk is not small")
	}
	return file
}

// fullUnder begins a run on two agents, and fills the disk of its results with a file while they measure.
func fullUnder(t *testing.T) (dir, file string, r *run, started []*run) {
	t.Helper()
	dir = t.TempDir()
	small(t, filepath.Join(dir, "out"), 16<<10)
	r, started = waits(t, dir, 2)
	r.under("[1/1] loopback, 1 KiB at 300/s, 6 connections")
	return dir, fill(t, filepath.Join(dir, "out")), r, started
}

// The disk of the results is full when the agents deliver: they keep their results until there is
// room again, nothing is measured again, and no agent is blamed.
func TestADiskThatIsFullForAWhile(t *testing.T) {
	needsProc(t)
	t.Parallel()
	_, file, r, started := fullUnder(t)
	r.wants("no space left on device: free some space there")
	time.Sleep(3 * time.Second)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	whole(t, r.only(), 2)
	for _, a := range started {
		if code := a.end(); code != 0 || strings.Count(a.out.String(), "part ") != 1 {
			t.Errorf("an agent: exit code %d: %s; want one part", code, a.out.String())
		}
	}
	if said := r.out.String(); strings.Contains(said, "given up") || strings.Count(said, "no space left") != 1 {
		t.Errorf("%s", said)
	}
}

// A disk without room for another file as the agents come to measure: the folder is named, no agent is
// blamed, and the cell is measured once there is room.
func TestADiskThatIsFullAtTheStartOfACell(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	mount(t, out, "nr_inodes=60")
	r := measures(t, dir, "--agents", "wait:2")
	r.wants("--join FILE")
	waitFor(t, func() bool {
		cells, _ := filepath.Glob(filepath.Join(out, results.LatestLink, results.CellsFolder, "*"))
		return len(cells) == 1
	}, "the folder of the cell is there")
	var files []string
	for i := range 60 {
		files = append(files, filepath.Join(out, fmt.Sprint("fill", i)))
		_ = os.WriteFile(files[i], nil, 0o600) // until it is full
	}
	var started []*run
	for _, file := range joinFiles(t, dir, 2) {
		started = append(started, begin(t, dir, nil, "agent", "--join", file))
	}
	r.wants("no space left on device: free some space there")
	time.Sleep(2 * time.Second)
	for _, file := range files {
		_ = os.Remove(file)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	whole(t, r.only(), 2)
	if said := r.out.String(); strings.Contains(said, "given up") || strings.Contains(said, "agent a") || !strings.Contains(said, out) {
		t.Error(said)
	}
	for _, a := range started {
		a.end()
	}
}

// A disk that stays full until the user gives up leaves a run that can be resumed.
func TestARunOnAFullDiskIsResumed(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir, file, r, _ := fullUnder(t)
	r.wants("free some space there")
	signals(t, r.cmd.Process.Pid, syscall.SIGINT)
	time.Sleep(time.Second)
	signals(t, r.cmd.Process.Pid, syscall.SIGINT)
	r.end()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	again := resumes(t, dir)
	whole(t, again.only(), 2)
}

// A full disk of the state is named before anything is measured.
func TestTheStateOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "state"), 64)
	fill(t, filepath.Join(dir, "state"))
	begun := time.Now()
	r := measures(t, dir, "--agents", "local:2")
	if code := r.end(); code != 1 || !strings.Contains(r.out.String(), "no space left on device") || !strings.Contains(r.out.String(), filepath.Join(dir, "state")) || time.Since(begun) > 30*time.Second {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
}

// serveControl starts a NATS server as the user's own control server.
func serveControl(t *testing.T, addr string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], natsForTests, addr)
	c.Env = append(os.Environ(), program+"=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	waitFor(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, "the control server is at %s", addr)
	return c
}

// A control server that is gone ends the coordinator, and not the run: the agents measure to the
// end of the cell, and the run that is resumed at a server in its place collects that.
func TestAControlServerThatIsGone(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	server := serveControl(t, addr)
	r := measures(t, dir, "--agents", "wait:2", "--rate", "300,600", "--control", "nats://"+addr, "--lease", "8s", "--agents-wait", "1s")
	r.wants("--join FILE")
	files, _ := filepath.Glob(filepath.Join(dir, "state", "brokerbench", "*", "join", "*.json"))
	var started []*run
	for _, file := range files {
		started = append(started, begin(t, dir, nil, "agent", "--join", file))
	}
	r.under("[2/2] loopback, 1 KiB at 600/s, 6 connections")
	_, _ = server.Process.Kill(), server.Wait()
	if code := r.end(); code != 4 || !strings.Contains(r.out.String(), "the control server does not answer") || !strings.Contains(r.out.String(), "brokerbench resume "+dir) {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	serveControl(t, addr)
	if again := resumes(t, dir); len(again.cells()) != 2 {
		t.Error(again.out.String())
	}
	for _, a := range started {
		if code := a.end(); code != 0 || strings.Count(a.out.String(), "part ") != 2 {
			t.Errorf("an agent: exit code %d: %s; want two parts", code, a.out.String())
		}
	}
}

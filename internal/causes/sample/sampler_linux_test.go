package sample

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/machine"
)

// one is a node that is a single process.
type one struct{ process.Node }

func (n one) Families(func()) []process.Node { return []process.Node{n.Node} }

// sampled samples a process while do runs.
func sampled(t *testing.T, n process.Node, do func()) *cause.Samples {
	t.Helper()
	s := New(one{n})
	s.Prepare(time.Second)
	s.Begin(time.Now())
	stop := machine.ObserveHiccups(func(time.Duration) { s.Tick() })
	do()
	stop()
	r := new(cause.Samples)
	s.End(r)
	return r
}

// seriesOf returns a series; it fails if it was not sampled.
func seriesOf(t *testing.T, s *cause.Samples, name, where string) cause.Series {
	t.Helper()
	i := slices.IndexFunc(s.Series, func(one cause.Series) bool { return one.Cause == name && one.Where == where })
	if i < 0 {
		t.Fatalf("%s of %s was not sampled; missing: %v", name, where, s.Missing)
	}
	return s.Series[i]
}

func sum(values []int64) (n int64) {
	for _, v := range values {
		n += v
	}
	return n
}

// A process that stands still for 200 ms is seen to stand still for about as long, and its log to grow.
func TestAStoppedProcessAndItsLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "node.log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	id, _ := process.Find(c.Process.Pid)
	s := sampled(t, process.Node{Name: "n1", IDs: []process.ID{id}, Log: log}, func() {
		time.Sleep(100 * time.Millisecond)
		_ = c.Process.Signal(syscall.SIGSTOP)
		process.AwaitStopped(id.PID)
		time.Sleep(200 * time.Millisecond)
		_ = c.Process.Signal(syscall.SIGCONT)
		f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		_, _ = f.WriteString("one\ntwo\nthree\n")
		time.Sleep(100 * time.Millisecond)
	})
	stood := time.Duration(sum(seriesOf(t, s, cause.Stopped, "n1").Value)) * time.Microsecond
	if stood < 100*time.Millisecond || stood > 2*time.Second {
		t.Errorf("it stood still for %v, want about 200 ms", stood)
	}
	if got := sum(seriesOf(t, s, cause.Log, "n1").Value); got != 3 {
		t.Errorf("%d new lines, want 3", got)
	}
	for _, name := range []string{cause.RunQueue, cause.PageFaults, cause.Throttled, cause.Disk} {
		seriesOf(t, s, name, "n1")
	}
	for _, name := range []string{cause.RunQueue, cause.Stopped, cause.GCClient, cause.RTT, cause.Queue} {
		seriesOf(t, s, name, cause.Client)
	}
	seriesOf(t, s, cause.Steal, cause.Machine)
	if s.Samples < 10 || len(s.EndsNS) != s.Samples+1 {
		t.Errorf("%d samples, %d ends", s.Samples, len(s.EndsNS))
	}
}

// A thread that did nothing since the last search is still read if it stands still or waits for a disk.
func TestAThreadThatStandsStillIsNotAsleep(t *testing.T) {
	c := exec.CommandContext(t.Context(), "sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	thread := found{c.Process.Pid, c.Process.Pid}
	for deadline := time.Now().Add(10 * time.Second); !asleep(thread); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a process that sleeps is not asleep")
		}
	}
	_ = c.Process.Signal(syscall.SIGSTOP)
	process.AwaitStopped(c.Process.Pid)
	if asleep(thread) {
		t.Error("a process that stands still is asleep")
	}
}

// The state of a thread that sleeps is read again when it has run since; any other state each time.
func TestASleepingThreadIsReadWhenItRan(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stat")
	becomes := func(state string) {
		if err := os.WriteFile(name, []byte("1 (a) b) "+state+" 0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	becomes("S")
	f, err := openFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	one := thread{stat: f}
	for _, step := range []struct {
		state string
		woke  bool
		want  byte
	}{{"S", false, 'S'}, {"D", false, 'S'}, {"D", true, 'D'}, {"T", false, 'T'}, {"S", false, 'S'}, {"T", true, 'T'}} {
		becomes(step.state)
		one.woke = step.woke
		if one.readStat(make([]byte, 100)); one.state != step.want {
			t.Errorf("%+v: state %c", step, one.state)
		}
	}
}

// A sampler that never begins closes its files and has no samples.
func TestASamplerThatNeverBegins(t *testing.T) {
	s := New(nil)
	s.Prepare(time.Second)
	r := new(cause.Samples)
	s.End(r)
	if r.Samples != 0 || len(r.Series) == 0 {
		t.Errorf("%d samples of %d series", r.Samples, len(r.Series))
	}
}

// BenchmarkSample is one reading of all sources, of this process and this machine.
func BenchmarkSample(b *testing.B) {
	s := New(nil)
	s.Prepare(time.Minute)
	s.Begin(time.Now())
	close(s.over)
	s.ended.Wait()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		s.sample(n, time.Duration(n+1)*Every, Every)
	}
}

// limited returns a new cgroup with a quota of a fiftieth of a core.
func limited(t *testing.T) (group string) {
	t.Helper()
	name, limits := "brokerbench-causes-"+strconv.Itoa(os.Getpid()), map[string]string{"cpu.cfs_period_us": "50000", "cpu.cfs_quota_us": "1000"}
	group = filepath.Join("/sys/fs/cgroup/cpu", name)
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		group, limits = filepath.Join("/sys/fs/cgroup", name), map[string]string{"cpu.max": "1000 50000"}
	}
	t.Cleanup(func() { _ = os.Remove(group) })
	err := os.MkdirAll(group, 0o755)
	for file, text := range limits {
		if err == nil {
			_, err = os.Stat(filepath.Join(group, file)) // the controller may be missing
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(group, file), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Skipf("no cgroup with a CPU quota can be made here: %v", err)
	}
	return group
}

// A process with a CPU quota is seen to be throttled, and its threads to wait.
func TestAThrottledProcess(t *testing.T) {
	group := limited(t)
	c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(c.Process.Pid)), 0o600); err != nil {
		t.Skipf("the group cannot be entered: %v", err)
	}
	id, _ := process.Find(c.Process.Pid)
	s := sampled(t, process.Node{Name: "n1", IDs: []process.ID{id}}, func() { time.Sleep(time.Second) })
	throttled := time.Duration(sum(seriesOf(t, s, cause.Throttled, "n1").Value)) * time.Microsecond
	if throttled < 200*time.Millisecond {
		t.Errorf("throttled for %v of a second, want nearly all", throttled)
	}
	if client := sum(seriesOf(t, s, cause.Throttled, cause.Client).Value); client > throttled.Microseconds()/2 {
		t.Errorf("this process was throttled for %d µs", client)
	}
}

// A partition is not a disk of /sys/block, and the disks of nodes come before those that were used more.
func TestDisksOfNodesComeFirst(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "sda")
	part := filepath.Join(disk, "sda1")
	if err := os.MkdirAll(part, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(part, "partition"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := wholeDisk(part); got != disk {
		t.Errorf("the partition is on %s, want %s", got, disk)
	}
	if got := wholeDisk(disk); got != disk {
		t.Errorf("the disk is on %s, want itself", got)
	}
	got := busiest(map[string]int64{"loop1": 3, "loop0": 3, "sda": math.MaxInt64, "sdb": 50})
	if want := []string{"sda", "sdb", "loop0", "loop1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A process of another user, at which this one may not look, is one line each: a JVM does not seem to keep no counters.
func TestAProcessOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	s := New(nil)
	got := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		const nobody = 65534
		if _, _, no := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody); no != 0 {
			got <- no
			return
		}
		s.openNetwork([]process.Node{{Name: "n1", IDs: []process.ID{{PID: os.Getppid()}}}})
		_, err := openJVM(os.Getppid())
		got <- err
	}()
	if err := <-got; !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
	for _, source := range s.sources {
		source.close()
	}
	if len(s.missing) != 1 || s.missing[0].Cause != cause.Retransmit || s.missing[0].Where != "n1" {
		t.Errorf("not known: %+v, want the retransmits of n1", s.missing)
	}
}

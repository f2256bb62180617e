package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const childVariable = "BROKERBENCH_TEST_HICCUPS"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(childVariable) != "":
		meterAStop(os.Stdout)
	case os.Getenv(quotaVariable) != "":
		useUpAQuota(os.Getenv(quotaVariable), os.Stdout)
	default:
		m.Run()
	}
}

// metered is what the child says in the end.
type metered struct {
	Values []time.Duration
	Least  int // how many there must be at least: the whole milliseconds while it metered
	Most   int
}

// meterAStop stops this process after the first value, and writes everything in the
// end.
func meterAStop(out io.Writer) {
	var m metered
	first := make(chan bool, 1)
	before := time.Now()
	stop := ObserveHiccups(func(v time.Duration) {
		if m.Values = append(m.Values, v); len(m.Values) == 1 {
			first <- true
		}
	})
	begun := time.Now()
	<-first
	_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	time.Sleep(100 * time.Millisecond) // it may be another thread that takes the signal, a little later
	m.Least = int(time.Since(begun) / HiccupPeriod)
	stop()
	m.Most = int(time.Since(before) / HiccupPeriod)
	_ = json.NewEncoder(out).Encode(m)
}

// A process is stopped for a known time. It meters at least that, whatever else
// the machine does: the first wake-up due in the stop is due within 1 ms of its
// beginning, the next 1 ms later, and all are served after its end.
func TestAStoppedProcessKnowsForHowLong(t *testing.T) {
	const stop = 301 // ms
	var out bytes.Buffer
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process that is stopped may have the system hang up its whole group
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stdout, child.Stderr = &out, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	carryOn(t, child.Process.Pid, stop*time.Millisecond)
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	var got metered
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if longest := slices.Max(got.Values); longest < (stop-1)*time.Millisecond {
		t.Errorf("stopped for %d ms, the longest hiccup is %v", stop, longest)
	}
	for _, ms := range []int{1, 50, 100, 200, 299} {
		count := 0
		for _, v := range got.Values {
			if v >= time.Duration(ms)*time.Millisecond {
				count++
			}
		}
		if count < stop-ms {
			t.Errorf("%d hiccups of %d ms and more, want at least %d", count, ms, stop-ms)
		}
	}
	if n := len(got.Values); n < got.Least || n > got.Most {
		t.Errorf("%d values, want %d to %d: one for each millisecond", n, got.Least, got.Most)
	}
}

// carryOn waits until a child of ours has stopped, and continues it after at least
// that long.
func carryOn(t *testing.T, pid int, after time.Duration) {
	t.Helper()
	var status unix.WaitStatus
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		_, err = unix.Wait4(pid, &status, unix.WUNTRACED, nil)
	}
	if err != nil || !status.Stopped() {
		t.Fatalf("the child did not stop: %v, %v", status, err)
	}
	time.Sleep(after)
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

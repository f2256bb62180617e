package machine

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const childVariable = "BROKERBENCH_TEST_HICCUPS"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		meterUntilEOF(os.Stdin, os.Stdout)
		return
	}
	m.Run()
}

// metered is what the child says in the end.
type metered struct {
	Values []time.Duration
	Least  int // how many there must be at least: the whole milliseconds while it metered
	Most   int
}

// meterUntilEOF says "ready" after the first value, and everything in the end.
func meterUntilEOF(in io.Reader, out io.Writer) {
	var m metered
	ready := make(chan struct{})
	first := sync.OnceFunc(func() { close(ready) })
	before := time.Now()
	stop := ObserveHiccups(func(v time.Duration) {
		m.Values = append(m.Values, v)
		first()
	})
	begun := time.Now()
	<-ready
	_, _ = io.WriteString(out, "ready\n")
	_, _ = io.Copy(io.Discard, in)
	m.Least = int(time.Since(begun) / hiccupPeriod)
	stop()
	m.Most = int(time.Since(before) / hiccupPeriod)
	_ = json.NewEncoder(out).Encode(m)
}

// A process is stopped for a known time. It meters at least that, whatever else
// the machine does: the first wake-up due in the stop is due within 1 ms of its
// beginning, the next 1 ms later, and all are served after its end.
func TestAStoppedProcessKnowsForHowLong(t *testing.T) {
	const stop = 301 // ms
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait() //nolint:errcheck // it ends when its output does
	defer in.Close()
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	pause(t, child.Process.Pid, stop*time.Millisecond)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	var got metered
	if err := json.NewDecoder(out).Decode(&got); err != nil {
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

// pause stops a child of ours for at least that long.
func pause(t *testing.T, pid int, length time.Duration) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Kill(pid, unix.SIGCONT); err != nil {
			t.Error(err)
		}
	}()
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil) // until it has stopped
		if err == nil {
			break
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
	if !status.Stopped() {
		t.Fatalf("the child did not stop: %v", status)
	}
	time.Sleep(length)
}

package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

const quotaVariable = "BROKERBENCH_TEST_QUOTA" // the folder of the group to enter

// quotaUsed is what a process with a quota says of itself.
type quotaUsed struct {
	Cores Cores
	Usage results.Usage
	Error string
}

// useUpAQuota enters a group, and wants all of a core until it is stopped; for ten
// seconds at most.
func useUpAQuota(group string, out io.Writer) {
	var q quotaUsed
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		q.Error = err.Error()
	}
	q.Cores = ReadCores()
	s := NewSampler()
	for start := time.Now(); time.Since(start) < 10*time.Second; {
		q.Usage = s.Sample(func() {})
		if m := q.Usage.Machine; m == nil || m.ThrottledNS == nil || *m.ThrottledNS > 0 {
			break
		}
	}
	_ = json.NewEncoder(out).Encode(q)
}

// limitedGroup makes a group with a quota of a fiftieth of a core around an inner one
// that has none, and returns the inner one.
func limitedGroup(t *testing.T) (inner string) {
	t.Helper()
	name, limits := "brokerbench-test-"+strconv.Itoa(os.Getpid()), map[string]string{"cpu.cfs_period_us": "50000", "cpu.cfs_quota_us": "1000"}
	outer := filepath.Join("/sys/fs/cgroup/cpu", name)
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		outer, limits = filepath.Join("/sys/fs/cgroup", name), map[string]string{"cpu.max": "1000 50000"}
	}
	inner = filepath.Join(outer, "inner")
	t.Cleanup(func() { // only an empty group can be removed
		_ = os.Remove(inner)
		_ = os.Remove(outer)
	})
	err := os.MkdirAll(inner, 0o755)
	for file, text := range limits {
		if err == nil {
			_, err = os.Stat(filepath.Join(outer, file)) // the controller may be missing
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(outer, file), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Skipf("no cgroup with a CPU quota can be made here: %v", err)
	}
	return inner
}

// The quota is on a group around that of the process, as on a pod.
func TestARealQuotaIsSeen(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s", quotaVariable, limitedGroup(t)))
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, os.Stderr
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	var got quotaUsed
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Error != "" {
		t.Skip("the group cannot be entered: " + got.Error)
	}
	if usable := got.Cores.Usable(1); usable != 0.02 {
		t.Errorf("%v cores usable of %+v, want 0.02", usable, got.Cores)
	}
	if m := got.Usage.Machine; m == nil || m.ThrottledNS == nil || *m.ThrottledNS == 0 {
		t.Errorf("not throttled: %+v", m)
	} else {
		t.Logf("throttled for %v, %.2f cores used", time.Duration(*m.ThrottledNS), got.Usage.Process.CPUCores)
	}
}

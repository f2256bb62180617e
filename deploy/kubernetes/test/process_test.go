package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// brokerbench is the program that is in the image, and runs outside of the cluster. It is
// static, since the image has nothing else.
func brokerbench(t *testing.T) string {
	t.Helper()
	path := os.Getenv("BROKERBENCH")
	if path == "" {
		path = "../../../.bin/static/brokerbench"
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("`make kubernetes` builds it: %v", err)
	}
	return path
}

// A process is one of the machine outside of the cluster.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	out said
	dir string // of brokerbench's results
}

// said is the output of a process so far.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// begin starts a command, which ends with the test.
func begin(t *testing.T, cmd *exec.Cmd, dir string) *process {
	t.Helper()
	r := &process{t: t, cmd: cmd, dir: dir}
	cmd.Stdout, cmd.Stderr = &r.out, &r.out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return r
}

// wants waits until the process has said something.
func (r *process) wants(text string) {
	r.t.Helper()
	defer func() {
		if r.t.Failed() {
			r.t.Log(r.out.String())
		}
	}()
	eventually(r.t, jobTimeout, "it says "+text, func() bool { return strings.Contains(r.out.String(), text) })
}

// end waits for the process, and returns its exit code.
func (r *process) end() int {
	r.t.Helper()
	done := make(chan struct{})
	go func() {
		_ = r.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		r.t.Fatalf("it does not end: %s", r.out.String())
	}
	return r.cmd.ProcessState.ExitCode()
}

// measures waits for a process that measures. Its exit code may be that of a cell that is not valid: the machine
// may be as busy as it likes, if no message is missing.
func (r *process) measures() {
	r.t.Helper()
	if code := r.end(); code != 0 && code != invalid {
		r.t.Fatalf("exit code %d: %s", code, r.out.String())
	}
}

// invalid is the exit code of a run with a cell that is not valid, or was not measured.
const invalid = 4

// A cell holds the fields of a result that the tests check.
type cell struct {
	Ledger struct{ Due, Done, Failed, Lost, Unsent int64 }
	Plan   struct{ Shape struct{ Rate int64 } }

	Interrupted bool
	Verdict     string
	Response    struct{ Count int64 }
	Agents      []agent
}

type agent struct {
	Connections int
	Lost        string
	Environment struct{ Host string }
	Clock       struct {
		BoundNS int64 `json:"bound_ns"`
	} `json:"agent_clock"`
}

// cells returns the cells of the last run in a folder of results, in their order.
func cells(t *testing.T, out string) (list []cell) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(out, "latest", "cells", "*", "cell.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		var c cell
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// whole wants a cell of agents to be what one machine measured: the same schedule, with
// no message missing.
func whole(t *testing.T, got, one cell, agents int) {
	t.Helper()
	if got.Ledger != one.Ledger || got.Ledger.Done != got.Ledger.Due || got.Response.Count != one.Response.Count || got.Interrupted {
		t.Errorf("%+v with %d responses, on one machine %+v with %d", got.Ledger, got.Response.Count, one.Ledger, one.Response.Count)
	}
	connections := 0
	for _, a := range got.Agents {
		connections += a.Connections
		if a.Lost != "" || a.Clock.BoundNS <= 0 || a.Environment.Host == "" {
			t.Errorf("%+v", a)
		}
	}
	if len(got.Agents) != agents || connections != 6 {
		t.Errorf("%d connections of %d agents, want 6 of %d", connections, len(got.Agents), agents)
	}
}

//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An attempt is the program measuring while a row's fault happens.
type attempt struct {
	t         *testing.T
	row       row
	broker    *broker
	program   string
	authority *authority
	folder    string // of this attempt: what was said, and the results in out
	url       string // the target

	command        []string
	process        *os.Process
	marker         string // in the environment of every process that the program starts
	exit           int    // -1: ended by a signal
	took           time.Duration
	stdout, stderr string

	mu   sync.Mutex
	fell []string // what should not have happened
}

// fall notes what should not have happened.
func (a *attempt) fall(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fell = append(a.fell, fmt.Sprintf(format, args...))
}

func (a *attempt) before() {
	if a.row.before != nil {
		a.row.before(a)
	}
}

func (a *attempt) after() {
	if a.row.after != nil {
		a.row.after(a)
	}
	a.broker.heal()
}

// out is the folder of results.
func (a *attempt) out() string { return filepath.Join(a.folder, "out") }

// arguments are those of every row, with the row's own in their place.
func (a *attempt) arguments() []string {
	args := []string{
		"--rate", fmt.Sprint(perSecond), "--connections", fmt.Sprint(connections), "--warmup", "0s", "--floor", "off", "--progress", "off",
		"--duration", a.row.window.String(), "--timeout", a.row.timeout.String(), "--out", a.out(),
	}
	if len(a.row.args) > 0 && !strings.HasPrefix(a.row.args[0], "-") {
		return a.row.args // a command of its own
	}
	for i := 0; i+1 < len(a.row.args); i += 2 {
		if at := slices.Index(args, a.row.args[i]); at >= 0 {
			args[at+1] = a.row.args[i+1]
		} else {
			args = append(args, a.row.args[i], a.row.args[i+1])
		}
	}
	return append([]string{"run", a.url}, args...)
}

// run runs the program to its end, with the fault in its middle.
func (a *attempt) run() {
	a.t.Helper()
	cmd := a.start("")
	began := time.Now()
	ended := make(chan struct{})
	var fault sync.WaitGroup
	fault.Go(func() {
		if a.row.during != nil && a.measuring(ended) {
			a.row.during(a)
		}
	})
	limit := a.row.window + a.row.timeout + a.row.late
	hung := time.AfterFunc(limit, func() {
		a.fall("still runs after %v", limit)
		_ = cmd.Process.Signal(syscall.SIGQUIT) // says where it hangs
		time.Sleep(time.Second)
		_ = cmd.Process.Kill()
	})
	_ = cmd.Wait()
	a.took = time.Since(began)
	hung.Stop()
	close(ended)
	fault.Wait()
	a.exit = cmd.ProcessState.ExitCode()
	a.stdout, a.stderr = a.said("stdout"), a.said("stderr")
}

// start starts the program; what it says goes to files whose names end in suffix.
func (a *attempt) start(suffix string) *exec.Cmd {
	a.t.Helper()
	a.command = append([]string{a.program}, a.arguments()...)
	a.marker = fmt.Sprintf("FAULTS_ATTEMPT=%s", a.folder)
	script := a.row.shell
	if script == "" {
		script = ":"
	}
	cmd := exec.CommandContext(context.Background(), "bash", append([]string{"-c", script + ` && exec "$0" "$@"`}, a.command...)...)
	cmd.Dir = a.folder
	cmd.Env = append(environment(), a.marker)
	stdout, stderr := a.file("stdout"+suffix), a.file("stderr"+suffix)
	defer stdout.Close()
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.process = cmd.Process
	return cmd
}

func (a *attempt) file(name string) *os.File {
	file, err := os.Create(filepath.Join(a.folder, name))
	if err != nil {
		a.t.Fatal(err)
	}
	return file
}

func (a *attempt) said(name string) string {
	text, err := os.ReadFile(filepath.Join(a.folder, name))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

// measuring waits until the first second of the schedule is over. It returns
// false if the program ended before.
func (a *attempt) measuring(ended <-chan struct{}) bool {
	for {
		logs, _ := filepath.Glob(filepath.Join(a.out(), "*", "cells", "*", "intervals.hlog"))
		for _, log := range logs {
			if info, err := os.Stat(log); err == nil && info.Size() > 0 { // its head
				time.Sleep(time.Second)
				return true
			}
		}
		select {
		case <-ended:
			a.fall("ended before it measured")
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// signal sends the program a signal.
func (a *attempt) signal(s syscall.Signal) {
	if err := a.process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		a.fall("%v: %v", s, err)
	}
}

// environment is ours without what brokerbench reads from it.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "BROKERBENCH_") })
}

package cli

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// beside runs what happens to a command while that runs. The caller calls end when the
// command has ended: ended is closed then, and end waits for f.
func beside(f func(ended <-chan struct{})) (end func()) {
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		f(ended)
	}()
	return func() {
		close(ended)
		<-left
	}
}

// holds waits until a condition holds, and says whether that was before the command ended.
func holds(condition func() bool, ended <-chan struct{}) bool {
	for {
		if condition() {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// loggedASecond waits until the cell of a run in out has logged a second, and says
// whether that was before the run ended.
func loggedASecond(out string, ended <-chan struct{}) bool {
	return holds(func() bool {
		logs, _ := filepath.Glob(filepath.Join(out, "*", "cells", "*", "intervals.hlog"))
		for _, log := range logs {
			if b, err := os.ReadFile(log); err == nil && bytes.Contains(b, []byte("\nTag=response,")) {
				return true
			}
		}
		return false
	}, ended)
}

// sendSelf sends this process a signal. One that comes when its command has just ended does
// not end the tests.
func sendSelf(t *testing.T, s syscall.Signal) {
	t.Helper()
	nobody := make(chan os.Signal, 1)
	signal.Notify(nobody, s)
	t.Cleanup(func() { signal.Stop(nobody) })
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		t.Error(err)
	}
}

// signalASecondLater sends this process a signal once the run in out has logged a second.
func signalASecondLater(t *testing.T, out string, s syscall.Signal) (end func()) {
	t.Helper()
	return beside(func(ended <-chan struct{}) {
		if loggedASecond(out, ended) {
			sendSelf(t, s)
		}
	})
}

// hearing is a standard error that does something once a text was said.
type hearing struct {
	strings.Builder

	text string
	do   func()
}

func (h *hearing) Write(p []byte) (n int, err error) {
	n, err = h.Builder.Write(p)
	if h.do != nil && strings.Contains(h.String(), h.text) {
		h.do()
		h.do = nil
	}
	return n, err
}

// commandHeard runs the command line in this process, and does something once it has said
// a text on stderr.
func commandHeard(text string, do func(), args ...string) (code int, stdout, stderr string) {
	var out strings.Builder
	errs := &hearing{text: text, do: do}
	code = Main(args, command.Streams{In: strings.NewReader(""), Out: &out, Err: errs, Brokers: brokers.All()})
	return code, out.String(), errs.String()
}

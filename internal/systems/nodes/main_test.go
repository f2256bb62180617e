//go:build linux

package nodes

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/internal/systems/guardian/guardiantest"
	"github.com/brokerbench/brokerbench/plan"
)

// The processes of the tests besides the guardian.
const (
	server   = "listen-at"          // an address, until a signal ends it
	stubborn = "listen-and-go-on"   // the same, which no SIGTERM ends
	failing  = "say-it-and-give-up" // what it says
)

// TestMain lets this test binary be the guardian and the nodes.
func TestMain(m *testing.M) {
	isChild, err := guardian.Serve(os.Args[1:], os.Stdin, os.Stdout)
	if !isChild {
		isChild, err = Serve(os.Args[1:], os.Stdin, os.Stdout, "v1")
	}
	if !isChild && len(os.Args) == 3 {
		isChild, err = serve(os.Args[1], os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // this is a main function
	}
	if !isChild {
		m.Run()
	}
}

func serve(command, argument string) (isNode bool, err error) {
	switch command {
	case stubborn:
		signal.Ignore(syscall.SIGTERM)
		fallthrough
	case server:
		l, err := net.Listen("tcp", argument)
		if err != nil {
			return true, err
		}
		for {
			c, err := l.Accept()
			if err != nil {
				return true, err
			}
			_ = c.Close()
		}
	case failing:
		return true, fmt.Errorf("first line\n\n%s", argument)
	}
	return false, nil
}

// address returns one where nobody listens.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// node returns a node that runs a process of the tests.
func node(t *testing.T, name, command string) plan.Node {
	t.Helper()
	at := address(t)
	return plan.Node{Name: name, Address: at, Command: []string{os.Args[0], command, at}, ReadyIn: 20 * time.Second}
}

// newSystem makes a system that the test closes, if it does not do so itself.
func newSystem(t *testing.T, p plan.System) *System {
	t.Helper()
	s, err := New(p, Options{Guardian: guardiantest.Start(t), Logs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	poll.Until(t, 20*time.Second, holds, "%s", what)
}

// script writes a program of a few lines for the shell into a folder that is first on the
// PATH: it stands in for a tool that the test cannot have.
func script(t *testing.T, name, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func runs(pid int) bool {
	_, ok := process.Find(pid)
	return ok
}

// wantError wants an error that has all of these texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q in it", err, text)
		}
	}
}

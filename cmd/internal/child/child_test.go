package child_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
)

// TestMain lets this test binary be the children of its tests.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "echo":
		fmt.Fprintln(os.Stdout, "ready:", os.Args[2])
		if err := child.Serve(os.Stdin, os.Stdout, strings.ToUpper); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	case len(os.Args) == 2 && os.Args[1] == "broken":
		fmt.Fprintln(os.Stderr, "no port is free")
	case len(os.Args) == 2 && os.Args[1] == "deaf":
		fmt.Fprintln(os.Stdout, "ready")
		time.Sleep(time.Hour)
	default:
		m.Run()
	}
}

func start(t *testing.T, args ...string) *child.Process {
	t.Helper()
	p, err := child.Start(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

func TestAsk(t *testing.T) {
	p := start(t, "echo", "it")
	if p.Ready != "ready: it" || p.PID == os.Getpid() {
		t.Errorf("ready %q, pid %d", p.Ready, p.PID)
	}
	for _, question := range []string{"one", "two"} {
		if answer, err := p.Ask(question); err != nil || answer != strings.ToUpper(question) {
			t.Errorf("Ask(%s) = %q, %v", question, answer, err)
		}
	}
	for range 2 { // it is safe to stop twice
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Ask("three"); err == nil {
		t.Error("a child that was stopped answers")
	}
}

func TestAChildThatDoesNotStart(t *testing.T) {
	_, err := child.Start("broken")
	if err == nil || !strings.Contains(err.Error(), "broken did not start") || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("Start: %v", err)
	}
}

// One that does not notice that its input has ended is killed.
func TestStopKills(t *testing.T) {
	p := start(t, "deaf")
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Stop: %v", err)
	}
}

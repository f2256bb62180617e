package self

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The children of the tests.
const (
	echo   = "echo-child"
	broken = "broken-child"
	deaf   = "deaf-child"
)

// TestMain lets this test binary be the children.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 {
		m.Run()
		return
	}
	switch command, argument := os.Args[1], os.Args[2]; command {
	case echo:
		_ = Answer(os.Stdin, os.Stdout, "ready: "+argument, strings.ToUpper)
	case broken:
		fmt.Fprintln(os.Stderr, argument)
	case deaf:
		fmt.Fprintln(os.Stdout, "ready")
		time.Sleep(time.Hour)
	}
}

func startChild(t *testing.T, args ...string) *Process {
	t.Helper()
	p, err := Start("child", args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

func TestAsk(t *testing.T) {
	p := startChild(t, echo, "it")
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
	_, err := Start("echo", broken, "no port is free")
	if want := "the echo did not start: EOF: no port is free"; err == nil || err.Error() != want {
		t.Errorf("start: %v, want %s", err, want)
	}
}

// A child that does not notice the end of its input is killed.
func TestStopKills(t *testing.T) {
	p := startChild(t, deaf, "")
	if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Stop: %v", err)
	}
}

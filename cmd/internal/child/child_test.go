package child

import (
	"os"
	"strings"
	"testing"
)

func startChild(t *testing.T, args ...string) *process {
	t.Helper()
	p, err := start("child", args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	return p
}

func TestAsk(t *testing.T) {
	p := startChild(t, echo, "it")
	if p.ready != "ready: it" || p.PID == os.Getpid() {
		t.Errorf("ready %q, pid %d", p.ready, p.PID)
	}
	for _, question := range []string{"one", "two"} {
		if answer, err := p.ask(question); err != nil || answer != strings.ToUpper(question) {
			t.Errorf("ask(%s) = %q, %v", question, answer, err)
		}
	}
	for range 2 { // it is safe to stop twice
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.ask("three"); err == nil {
		t.Error("a child that was stopped answers")
	}
}

func TestAChildThatDoesNotStart(t *testing.T) {
	_, err := start("echo", broken, "no port is free")
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

func TestOnlyTheHiddenArgumentsAreAChild(t *testing.T) {
	for _, args := range [][]string{nil, {"run"}, {natsCommand, "x"}, {tcpCommand}, {pauseCommand}, {"x", natsCommand}} {
		if isChild, err := Serve(args, nil, nil); isChild || err != nil {
			t.Errorf("%q: a child %v, %v", args, isChild, err)
		}
	}
}

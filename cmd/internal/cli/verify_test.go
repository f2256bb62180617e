package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/verify"
)

func server(t *testing.T) *child.NATS {
	t.Helper()
	s, err := child.StartNATS(child.NoStore)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A real broker that is paused: every op is done, and those due in the pause
// waited for its end.
func TestVerifyPausesALiveBroker(t *testing.T) {
	s := server(t)
	var code int
	var stdout, stderr string
	unspoiled(func() bool { // it may be that nothing is sent in the pause: then it is not decided
		code, stdout, stderr = invoke("verify", "--target", s.URL, "--pid", strconv.Itoa(s.PID), "--pause-for", "500ms", "--duration", "2s", "--rate", "200", "--format", "json")
		return code != command.ExitInconclusive
	})
	if code != command.ExitGood {
		t.Fatalf("exit code %d; %s\n%s", code, stderr, stdout)
	}
	checks := decode[[]verify.Check](t, stdout)
	if len(checks) != 1 {
		t.Fatalf("%d checks", len(checks))
	}
	c := checks[0]
	if !strings.HasPrefix(c.Scenario, "nats paused for ") || c.Cell.Ledger.Done != 400 {
		t.Errorf("%s: %+v", c.Scenario, c.Cell.Ledger)
	}
	for _, r := range c.Rows {
		if r.Name == "max" && *r.Measured < int64(250*time.Millisecond) {
			t.Errorf("max %v ns after a pause of 500 ms at 200/s", *r.Measured)
		}
	}
}

func TestVerifyOfAPidThatIsGone(t *testing.T) {
	s := server(t)
	code, _, stderr := invoke("verify", "--target", s.URL, "--pid", "1")
	wantCode(t, code, command.ExitError, stderr, "pid 1: want the pid of the broker")
}

// Ctrl-C in the middle of the pause: the broker goes on.
func TestInterruptedVerifyContinuesTheBroker(t *testing.T) {
	s := server(t)
	time.AfterFunc(4*time.Second, // the pause is from 3 s to 5 s
		func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) })
	code, _, stderr := invoke("verify", "--target", s.URL, "--pid", strconv.Itoa(s.PID), "--pause-for", "2s", "--duration", "6s")
	if code != command.ExitInterrupted {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID), "stat"))
	if err == nil && strings.Contains(string(stat), ") T ") {
		t.Error("the broker stands still")
	}
}

func TestEachAnswerHasItsExitCode(t *testing.T) {
	for answer, want := range map[verify.Answer]int{
		verify.Agrees: command.ExitGood, verify.Disagrees: command.ExitError, verify.Inconclusive: command.ExitInconclusive,
	} {
		if got := command.ExitCode(planning.Answered(answer)); got != want {
			t.Errorf("%s: exit code %d, want %d", answer, got, want)
		}
	}
}

//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

const script = "../../../deploy/local/brokers"

// ownBroker starts a broker of the test's own, which it may kill, and returns
// its URL and a function that runs a command of deploy/local/brokers on it.
func ownBroker(t *testing.T, name string) (url string, do func(command string)) {
	t.Helper()
	variable := "BROKERBENCH_" + strings.ToUpper(name) + "_URL"
	environ := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "BROKERBENCH_") && strings.Contains(entry, "_URL=")
	})
	environ = append(environ, "BROKERBENCH_STATE="+filepath.Join(t.TempDir(), "state"))
	call := func(args ...string) (string, error) {
		c := exec.Command(script, args...)
		c.Env = environ
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Logf("brokers %s: %v\n%s", strings.Join(args, " "), err, said.String())
		}
		return string(out), err
	}
	t.Cleanup(func() { _, _ = call("down") })
	out, err := call("up", "--require", name)
	if err != nil && os.Getenv("BROKERBENCH_REQUIRE_BROKERS") == "1" {
		t.Fatalf("NO REAL BROKER: %s cannot be started, and all brokers are required", name)
	}
	if err != nil {
		t.Skipf("NO REAL BROKER: %s cannot be started here", name)
	}
	for _, line := range strings.Split(out, "\n") {
		if value, ok := strings.CutPrefix(line, "export "+variable+"="); ok {
			url = strings.Trim(value, "'")
		}
	}
	return url, func(command string) {
		if _, err := call(command, name); err != nil {
			t.Errorf("brokers %s %s: %v", command, name, err)
		}
	}
}

// TestABrokerThatDies kills each real broker in the middle of a cell, for good
// and then with a return within the timeout.
func TestABrokerThatDies(t *testing.T) {
	if testing.Short() || os.Getenv("BROKERBENCH_NATS_URL") == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_NATS_URL is not set; see deploy/local/brokers")
	}
	t.Parallel()
	for _, name := range []string{"nats", "redis", "rabbitmq", "kafka"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, do := ownBroker(t, name)
			t.Run("for good", func(t *testing.T) { diesForGood(t, url, do) })
			do("start")
			t.Run("and returns", func(t *testing.T) { diesAndReturns(t, url, do) })
		})
	}
}

// measureDying measures a cell and kills its broker when the cell's first second
// is in its log; before that a connection may still be setting itself up. The
// ledger adds up all the same.
func measureDying(t *testing.T, url string, kill func(), window, timeout time.Duration) (code int, c *results.Cell, stderr string) {
	t.Helper()
	out := t.TempDir()
	end := beside(func(ended <-chan struct{}) {
		if loggedASecond(out, ended) {
			kill()
		}
	})
	code, _, cells, stderr := runJSON(t, url, "--rate", "200", "--connections", "2", "--warmup", "0s",
		"--duration", window.String(), "--timeout", timeout.String(), "--out", out)
	end()
	if len(cells) != 1 {
		t.Fatalf("%d cells, exit code %d; stderr: %s", len(cells), code, stderr)
	}
	if l := cells[0].Ledger; l.Due == 0 || l.Due != l.Done+l.Failed+l.Lost+l.Unsent {
		t.Errorf("ledger %+v does not add up", l)
	}
	return code, cells[0], stderr
}

// diesForGood wants the cell to end within the timeout, with a ledger that adds
// up, its files written and marked, and exit code 4.
func diesForGood(t *testing.T, url string, do func(string)) {
	t.Helper()
	const window, timeout = 8 * time.Second, 3 * time.Second // killing a broker takes seconds on a busy machine
	code, c, stderr := measureDying(t, url, func() { do("stop") }, window, timeout)
	wantCode(t, code, command.ExitInvalid, stderr)
	if c.Ledger.Done == 0 || c.Ledger.Missing() == 0 || c.Verdict != results.Invalid {
		t.Errorf("%s, ledger %+v", c.Verdict, c.Ledger)
	}
	if elapsed := time.Duration(c.ElapsedNS); elapsed > window+timeout+4*time.Second {
		t.Errorf("the cell took %v, want it to end %v after %v", elapsed, timeout, window)
	}
	t.Logf("ledger %+v; failures %v; events %v", c.Ledger, c.Failures, c.Events)
}

// diesAndReturns wants the clients to reconnect: the ops due at the end of the
// window are done.
func diesAndReturns(t *testing.T, url string, do func(string)) {
	t.Helper()
	const window, rate = 20 * time.Second, 200
	var away time.Duration
	code, c, stderr := measureDying(t, url, func() {
		began := time.Now()
		do("stop")
		do("start")
		away = time.Since(began)
	}, window, 12*time.Second)
	if code != command.ExitGood && code != command.ExitInvalid {
		t.Fatalf("exit code %d; stderr: %s", code, stderr)
	}
	// Half of what is due while it is there, but for 3 s of waiting for it to be back:
	// without a reconnect only the first 2 s are done.
	if want := rate / 2 * (window - away - 3*time.Second).Seconds(); float64(c.Ledger.Done) < want {
		t.Errorf("the clients did not come back: away for %v, ledger %+v, want %.0f done", away, c.Ledger, want)
	}
	t.Logf("away for %v; ledger %+v; max %v; failures %v; events %v", away, c.Ledger, time.Duration(c.Response.MaxNS), c.Failures, c.Events)
}

package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// echoAdapter returns the command of the adapter that only sends back, which is this test binary.
func echoAdapter(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program + " adapter echo"
}

// The floor of an adapter is an adapter that only sends back, which the result says.
func TestAnAdapterIsMeasured(t *testing.T) {
	_, _, cells, stderr := runJSON(t, "exec:"+echoAdapter(t), "--rate", "200", "--duration", "1s", "--warmup", "0s", "--floor", "on")
	if len(cells) != 1 {
		t.Fatal(stderr)
	}
	c := cells[0]
	if c.Ledger != (results.Ledger{Due: 200, Done: 200}) || c.Broker.Product != "echo adapter" || c.Floor == nil || !c.Floor.Pipe || c.Floor.Echo.ReachedPerS == 0 {
		t.Errorf("ledger %+v, broker %+v, floor %+v", c.Ledger, c.Broker, c.Floor)
	}
}

// An adapter that dies during a cell leaves the cell, marked, with the reason.
func TestACellWhoseAdapterDies(t *testing.T) {
	dies := fmt.Sprintf(`exec:sh -c "%s | dd bs=1k count=150 status=none; echo no memory left >&2; exit 3"`, echoAdapter(t))
	code, run, cells, stderr := runJSON(t, dies, "--rate", "200", "--duration", "1s", "--warmup", "0s", "--timeout", "2s", "--floor", "off")
	if len(cells) != 1 {
		t.Fatal(code, run, stderr)
	}
	c := cells[0]
	if l := c.Ledger; l.Due != 200 || l.Done == 0 || l.Failed == 0 || l.Due != l.Done+l.Failed+l.Lost+l.Unsent || c.Verdict != results.Invalid {
		t.Errorf("ledger %+v, verdict %v", l, c.Verdict)
	}
	if len(c.Events) != 1 || c.Events[0].Text != "the adapter has ended: exit status 3: no memory left" {
		t.Errorf("events %+v", c.Events)
	}
}

// What cannot be started is a mistake of the command line, and nothing is measured.
func TestAnAdapterThatIsMissing(t *testing.T) {
	code, stdout, stderr := invoke("run", "exec:./no-such-adapter --flag", "--out", t.TempDir())
	if code != command.ExitUsage || stdout != "" || !strings.Contains(stderr, "no such file or directory (correct the path") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

func TestAdapterTest(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the conformance suite")
	}
	code, stdout, stderr := invoke(append([]string{"adapter", "test"}, strings.Fields(echoAdapter(t))...)...)
	if code != command.ExitGood || strings.Count(stdout, "\n") != 20 || strings.Count(stdout, "ok    ") != 20 {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	refuses := echoAdapter(t) + ` | head -c 54; echo "it's \"full\" " >&2; exit 7` // after its answer to hello
	code, stdout, stderr = invoke("adapter", "test", "sh", "-c", refuses)
	if code != command.ExitError || strings.Count(stdout, "\n") != 20 || !strings.Contains(stdout, "FAIL  RoundTrip") || !strings.Contains(stdout, "exit status 7: it's \"full\"") || !strings.Contains(stderr, "the adapter breaks 16 of the rules") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr = invoke("adapter", "test", "sh", "-c", "echo hello there >&2; exit 7")
	if code != command.ExitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "exit status 7: hello there") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if code, _, stderr := invoke("adapter", "test"); code != command.ExitUsage || !strings.Contains(stderr, "want the command") {
		t.Errorf("%d, %q", code, stderr)
	}
}

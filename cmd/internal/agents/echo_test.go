//go:build unix

package agents

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// brokerHere starts a NATS server for a test, and returns its URL.
func brokerHere(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	begin(t, t.TempDir(), nil, natsForTests, addr).wants("serves")
	return "nats://" + addr
}

// Agents send back for each other: the result is one, the way is split by their clocks, and what
// these cannot tell is withheld.
func TestAgentsEchoForEachOther(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, nil, "run", brokerHere(t), "--echo", "agent", "--agents", "local:3", "--connections", "7", "--rate", "300",
		"--duration", "6s", "--warmup", "1s", "--floor=off", "--out", filepath.Join(dir, "out"), "--report", "off")
	if code := r.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	if c.Ledger.Due != 1800 || c.Ledger.Done != 1800 || c.Strays != (results.Strays{}) || len(c.Agents) != 3 {
		t.Fatalf("ledger %+v, strays %+v", c.Ledger, c.Strays)
	}
	e := c.Echo
	if e == nil || e.Kind != "agent" || e.Lost != "" || e.Failed != 0 || e.Received < 1900 || e.Handling.Count != e.Received || e.Clock == nil {
		t.Fatalf("echo %+v", e)
	}
	if k := e.Clock; k.BoundNS <= 0 || k.Exchanges == 0 || k.LeastNS != 10*k.BoundNS || k.BoundNS > int64(time.Second) {
		t.Errorf("clock %+v", *k)
	}
	for name, d := range map[string]*results.Distribution{"outward": c.Outward, "back": c.Back} {
		if d == nil || d.Count != 1800 {
			t.Fatalf("%s %+v", name, d)
		}
		for _, row := range d.Percentiles {
			if v, known := row.Value(); known && int64(v) < e.Clock.LeastNS || known == row.Withheld {
				t.Errorf("%s p%v is %v, withheld %v, of clocks that know %v", name, row.Percentile, v, row.Withheld, time.Duration(e.Clock.BoundNS))
			}
		}
	}
	// The agents are on one machine: no clock of theirs is wrong by more than is said.
	if least := min(e.Clock.Outward.LeastNS, e.Clock.Back.LeastNS); least < -e.Clock.BoundNS {
		t.Errorf("a time of %v, by clocks that agree to %v", time.Duration(least), time.Duration(e.Clock.BoundNS))
	}
}

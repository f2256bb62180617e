//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/results"
)

// What is known before the run is one line, and exit code 2.
func TestFaultsThatCannotHappen(t *testing.T) {
	dirs := []string{fmt.Sprint("pid ", os.Getppid()), "pid N"} // what differs from run to run
	plan := func(targets, fault string) []string {
		dir := t.TempDir()
		file := filepath.Join(dir, "plan.yaml")
		dirs = append(dirs, dir+"/", "")
		text := fmt.Sprintf("duration: 5s\ntargets: [%s]\nfaults: [%s]\n", targets, fault)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "-f", file}
	}
	const cluster = "{name: c, url: 'nats://127.0.0.1:1,127.0.0.1:2', nodes: [{command: a}, {command: b}]}"
	mine := fmt.Sprintf("{name: c, url: 'redis://127.0.0.1:1', nodes: [{pid: %d}]}", os.Getppid())
	var text strings.Builder
	for _, args := range [][]string{
		{"fault", "nats://127.0.0.1:1"},
		{"fault", "nats://127.0.0.1:1", "--kill", "1", "--pause", "1"},
		{"fault", "nats://127.0.0.1:1", "--kill", "leader"},
		{"fault", "local:kafka,nodes=3", "--kill", "7"},
		{"fault", "local:redis", "--pause", "any-follower"},
		{"fault", "local:nats,nodes=3", "--kill", "leader"},
		{"fault", "local:nats", "--kill", "1", "--at", "40s"},
		{"fault", "nats://127.0.0.1:1", "--slow", "all"},
		{"fault", "nats://127.0.0.1:1", "--run", "true"},
		{"fault", "nats://127.0.0.1:1", "--run", "no-such-program x", "--allow-faults"},
		{"fault", "nats://127.0.0.1:1", "--run", "true", "--for", "1s", "--allow-faults"},
		{"fault", "nats://127.0.0.1:1", "--run", "true", "--delay", "1ms", "--allow-faults"},
		{"fault", "nats://127.0.0.1:1", "--slow", "1", "--delay", "-1ms"},
		{"fault", "nats://127.0.0.1:1", "--pause", "consumers", "--for", "0s"},
		{"fault", "nats://127.0.0.1:1", "--run", "sh -c 'a'", "--allow-faults"},
		{"fault", "local:redis", "--fill-disk", "1"},
		{"fault", "local:redis,data=1MiB", "--fill-disk", "1"},
		plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{command: a, data: /}]}", "{at: 1s, do: fill-disk, node: 1}"),
		{"fault", "loopback:", "--cut", "all"},
		{"fault", "rabbitmq-stream://127.0.0.1:1", "--cut", "1"},
		plan(mine, "{at: 1s, do: pause, node: 1}"),
		append(plan(mine, "{at: 1s, do: pause, node: 1}"), "--allow-faults"),
		plan(cluster, "{at: 1s, do: kill, node: 3}"),
		plan(cluster, "{at: 9s, do: kill, node: 1}"),
		plan(cluster, "{at: 1s, do: fill-disk, node: 1}"),
		plan(cluster, "{at: 1s, do: wipe, node: 1}"),
		plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{command: a, data: /etc}]}", "{at: 1s, do: wipe, node: 1}"),
		plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{command: a, data: /usr/share/doc}]}", "{at: 1s, do: wipe, node: 1}"),
		append(plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{pod: n-0, data: /usr/share/doc}]}", "{at: 1s, do: wipe, node: 1}"), "--allow-faults"),
		plan("local:nats", "{at: 1s, do: power-off, node: 1}"),
		plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{command: a, data: /usr/share/doc}]}", "{at: 1s, do: power-off, node: 1}"),
	} {
		code, _, said := invoke(args...)
		if code != command.ExitUsage {
			t.Errorf("%v: exit code %d\n%s", args, code, said)
		}
		text.WriteString(oneLine(said) + "\n")
	}
	golden.Check(t, "faults-mistakes.txt", strings.NewReplacer(dirs...).Replace(text.String()))
}

// The short form knows consumers, too.
func TestConsumersArePausedByTheShortForm(t *testing.T) {
	if code, _, said := invoke("fault", "nats://127.0.0.1:1", "--pause", "consumers", "--for", "3s", "--dry-run"); code != command.ExitGood {
		t.Errorf("exit code %d: %s", code, said)
	}
}

func TestOnlyRunBreaksWhatItMeasures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("targets: ['loopback:']\nfaults: [{at: 1s, do: slow, node: 1, delay: 1ms}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, said := invoke("ab", "--side", "-f "+file, "--side", "-f "+file)
	if code != command.ExitUsage || !strings.Contains(oneLine(said), "only run and fault break what they measure") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

func TestARunOfItsOwnServerHasNoFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("faults: [{at: 1s, do: kill, node: 1}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := invoke("run", "-f", file); code != command.ExitUsage {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// oneLine undoes the breaking of lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// A node that brokerbench started is killed, and starts again; what was acknowledged is there.
func TestANodeIsKilledAndStartsAgain(t *testing.T) {
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	code, cells := faulty(t, "local:nats?stream=file", "--kill", "leader", "--at", "1s", "--for", "500ms", "--timeout", "5s")
	if code != command.ExitInvalid && code != command.ExitGood { // messages failed: the percentiles are unknown
		t.Fatalf("exit code %d", code)
	}
	f := cells[0].Faults[0]
	if f.Error != "" || f.HealedNS == nil || f.LeaderBefore != "1" || f.Impact == nil || f.Impact.Failed+f.Impact.Lost == 0 {
		t.Errorf("%+v, %+v", f, f.Impact)
	}
	if a := cells[0].Audit; a == nil || a.Missing != 0 || a.Acked == 0 {
		t.Errorf("audit: %+v", a)
	}
}

// So it is with groups of consumers: each gets everything that was acknowledged.
func TestANodeWithGroupsIsKilledAndStartsAgain(t *testing.T) {
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	_, cells := faulty(t, "local:nats?stream=file&consumer=pull", "--kill", "leader", "--at", "1s", "--for", "500ms", "--timeout", "5s", "--connections", "2", "--groups", "2", "--members", "2")
	c := cells[0]
	if f := c.Faults[0]; f.Error != "" || f.HealedNS == nil || f.LeaderBefore != "1" || f.Impact == nil || f.Impact.Failed == 0 {
		t.Errorf("%+v, %+v", f, f.Impact)
	}
	if a := c.Audit; a == nil || a.Missing != 0 || a.Acked == 0 {
		t.Errorf("audit: %+v", a)
	}
	for _, g := range c.Groups {
		if g.Ledger.Done < c.AckLedger.Acked || g.Ledger.Done == g.Ledger.Due {
			t.Errorf("group %d: %+v; %d acknowledged", g.Number, g, c.AckLedger.Acked)
		}
	}
	if len(c.Groups) != 2 {
		t.Errorf("%d groups", len(c.Groups))
	}
}

// A node that keeps its data on a disk of its own finds it full, and goes on afterwards.
func TestTheDiskOfANodeIsFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	code, cells := faulty(t, "local:nats,data=128MiB?stream=file", "--fill-disk", "1", "--at", "1s", "--for", "500ms", "--timeout", "5s")
	if code != command.ExitInvalid && code != command.ExitGood {
		t.Fatalf("exit code %d", code)
	}
	if f := cells[0].Faults[0]; f.Error != "" || f.HealedNS == nil || f.BrokenNS == 0 {
		t.Errorf("%+v", f)
	}
}

// What is sent while the network is cut comes afterwards, and the nodes know nothing of it.
func TestTheNetworkOfANodeIsCut(t *testing.T) {
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	code, cells := faulty(t, "local:nats?stream=file", "--cut", "1", "--at", "1s", "--for", "700ms")
	if code != command.ExitGood && code != command.ExitInvalid {
		t.Fatalf("exit code %d", code)
	}
	c := cells[0]
	if f := c.Faults[0]; f.Error != "" || f.HealedNS == nil || f.Impact.WorstNS < int64(500*time.Millisecond) {
		t.Errorf("%+v, %+v", f, f.Impact)
	}
	if c.Ledger.Done != c.Ledger.Due {
		t.Errorf("%+v", c.Ledger)
	}
}

// A relay accepts connections where nothing listens behind it; the error says so all the same.
func TestNothingListensBehindARelay(t *testing.T) {
	for _, url := range []string{"redis://127.0.0.1:1", "nats://127.0.0.1:1,127.0.0.1:2"} {
		code, _, said := invoke("fault", url, "--cut", "all", "--quiet", "--report", "off", "--out", t.TempDir())
		want := "connect: connection refused (nothing listens there: start the broker, or correct host and port)"
		if code != command.ExitError || !strings.Contains(oneLine(said), url+": connecting: dial tcp 127.0.0.1:1: "+want) {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}

// faulty runs fault for three seconds, and returns the cells.
func faulty(t *testing.T, args ...string) (code int, cells []*results.Cell) {
	t.Helper()
	all := []string{"fault", "--quiet", "--report", "off", "--format", "json", "--out", t.TempDir(), "--duration", "3s", "--warmup", "200ms", "--rate", "200"}
	code, stdout, stderr := invoke(append(all, args...)...)
	if stdout == "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	cells = decode[struct{ Cells []*results.Cell }](t, stdout).Cells
	if len(cells) != 1 || len(cells[0].Faults) != 1 {
		t.Fatalf("%d cells: %s", len(cells), stderr)
	}
	return code, cells
}

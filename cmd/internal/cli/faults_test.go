//go:build linux

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// What is known before the run is one line, and exit code 2.
func TestFaultsThatCannotHappen(t *testing.T) {
	plan := func(targets, fault string) []string {
		file := filepath.Join(t.TempDir(), "plan.yaml")
		text := fmt.Sprintf("duration: 5s\ntargets: [%s]\nfaults: [%s]\n", targets, fault)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"run", "-f", file}
	}
	const cluster = "{name: c, url: 'nats://127.0.0.1:1,127.0.0.1:2', nodes: [{command: a}, {command: b}]}"
	mine := fmt.Sprintf("{name: c, url: 'redis://127.0.0.1:1', nodes: [{pid: %d}]}", os.Getppid())
	for want, args := range map[string][]string{
		"what is to break? such as --kill leader":                                       {"fault", "nats://127.0.0.1:1"},
		"--kill and --pause: one thing breaks":                                          {"fault", "nats://127.0.0.1:1", "--kill", "1", "--pause", "1"},
		"how its nodes are run is not known":                                            {"fault", "nats://127.0.0.1:1", "--kill", "leader"},
		`there is no node "7": want leader, any-follower, any, all, or one of 1, 2, 3`:  {"fault", "local:kafka,nodes=3", "--kill", "7"},
		"the only node has no follower":                                                 {"fault", "local:redis", "--pause", "any-follower"},
		"there is nothing that a node leads with these options: name a node":            {"fault", "local:nats,nodes=3", "--kill", "leader"},
		"at 40s is not before the end of the window, which is 30s long":                 {"fault", "local:nats", "--kill", "1", "--at", "40s"},
		"slow needs a delay, a loss or a throttle":                                      {"fault", "nats://127.0.0.1:1", "--slow", "all"},
		"it runs a command of yours: allow that with --allow-faults":                    {"fault", "nats://127.0.0.1:1", "--run", "true"},
		`program "no-such-program" is not found`:                                        {"fault", "nats://127.0.0.1:1", "--run", "no-such-program x", "--allow-faults"},
		"run has no for":                                                                {"fault", "nats://127.0.0.1:1", "--run", "true", "--for", "1s", "--allow-faults"},
		"run has no delay":                                                              {"fault", "nats://127.0.0.1:1", "--run", "true", "--delay", "1ms", "--allow-faults"},
		"fault slow 1 at 10s: delay is negative":                                        {"fault", "nats://127.0.0.1:1", "--slow", "1", "--delay", "-1ms"},
		"for is missing: how long the consumers read nothing":                           {"fault", "nats://127.0.0.1:1", "--pause", "consumers", "--for", "0s"},
		"quotes are not understood":                                                     {"fault", "nats://127.0.0.1:1", "--run", "sh -c 'a'", "--allow-faults"},
		"give each a small disk of its own, as local:redis,nodes=1,data=256MiB":         {"fault", "local:redis", "--fill-disk", "1"},
		`data "1MiB": below the 128MiB that brokers need to begin with`:                 {"fault", "local:redis,data=1MiB", "--fill-disk", "1"},
		"which must not be full: put the data of the node on a small file system":       plan("{name: c, url: 'nats://127.0.0.1:1', nodes: [{command: a, data: /}]}", "{at: 1s, do: fill-disk, node: 1}"),
		"it has no nodes at an address: nothing stands in front of it":                  {"fault", "loopback:", "--cut", "all"},
		"only local:rabbitmq-stream can be cut off":                                     {"fault", "rabbitmq-stream://127.0.0.1:1", "--cut", "1"},
		"breaks node 1, which brokerbench did not start: allow that with --allow-fault": plan(mine, "{at: 1s, do: pause, node: 1}"),
		"what started brokerbench":                                                      append(plan(mine, "{at: 1s, do: pause, node: 1}"), "--allow-faults"),
		`there is no node "3": want leader, any-follower, any, all, or one of 1, 2`:     plan(cluster, "{at: 1s, do: kill, node: 3}"),
		"at 9s is not before the end of the window, which is 5s long":                   plan(cluster, "{at: 9s, do: kill, node: 1}"),
		"where node 1 keeps its data is not known":                                      plan(cluster, "{at: 1s, do: fill-disk, node: 1}"),
	} {
		code, _, said := command(args...)
		if code != exitUsage || !strings.Contains(oneLine(said), want) {
			t.Errorf("%v: exit code %d\n%s\nwant %s", args, code, said, want)
		}
	}
}

// The short form knows consumers, too.
func TestConsumersArePausedByTheShortForm(t *testing.T) {
	if code, _, said := command("fault", "nats://127.0.0.1:1", "--pause", "consumers", "--for", "3s", "--dry-run"); code != exitGood {
		t.Errorf("exit code %d: %s", code, said)
	}
}

func TestOnlyRunBreaksWhatItMeasures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("targets: ['loopback:']\nfaults: [{at: 1s, do: slow, node: 1, delay: 1ms}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, said := command("ab", "--run", "-f "+file, "--run", "-f "+file)
	if code != exitUsage || !strings.Contains(oneLine(said), "only run and fault break what they measure") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

func TestARunOfItsOwnServerHasNoFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("faults: [{at: 1s, do: kill, node: 1}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := command("run", "-f", file); code != exitUsage {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// oneLine undoes the breaking of lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// A node that brokerbench started is killed, and starts again; what was acknowledged is there.
func TestANodeIsKilledAndStartsAgain(t *testing.T) {
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	code, cells := faulty(t, "local:nats?stream=file", "--kill", "leader", "--at", "1s", "--for", "500ms")
	if code != exitInvalid && code != exitGood { // messages failed: the percentiles are unknown
		t.Fatalf("exit code %d", code)
	}
	f := cells[0].Faults[0]
	if f.Error != "" || f.HealedNS == nil || f.LeaderBefore != "1" || f.Harm == nil || f.Harm.Failed+f.Harm.Lost == 0 {
		t.Errorf("%+v, %+v", f, f.Harm)
	}
	if a := cells[0].Audit; a == nil || a.Missing != 0 || a.Acked == 0 {
		t.Errorf("audit: %+v", a)
	}
}

// A node that keeps its data on a disk of its own finds it full, and goes on afterwards.
func TestTheDiskOfANodeIsFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	dir := cached(t)
	defer wantNothingLeft(t, dir)
	code, cells := faulty(t, "local:nats,data=128MiB?stream=file", "--fill-disk", "1", "--at", "1s", "--for", "500ms")
	if code != exitInvalid && code != exitGood {
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
	if code != exitGood && code != exitInvalid {
		t.Fatalf("exit code %d", code)
	}
	c := cells[0]
	if f := c.Faults[0]; f.Error != "" || f.HealedNS == nil || f.Harm.WorstNS < int64(500*time.Millisecond) {
		t.Errorf("%+v, %+v", f, f.Harm)
	}
	if c.Ledger.Done != c.Ledger.Due {
		t.Errorf("%+v", c.Ledger)
	}
}

// A relay accepts connections where nothing listens behind it; the error says so all the same.
func TestNothingListensBehindARelay(t *testing.T) {
	for _, url := range []string{"redis://127.0.0.1:1", "nats://127.0.0.1:1,127.0.0.1:2"} {
		code, _, said := command("fault", url, "--cut", "all", "--quiet", "--report", "off", "--out", t.TempDir())
		want := "connect: connection refused (nothing listens there: start the broker, or correct host and port)"
		if code != exitError || !strings.Contains(oneLine(said), url+": connecting: dial tcp 127.0.0.1:1: "+want) {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}

// faulty runs fault for three seconds, and returns the cells.
func faulty(t *testing.T, args ...string) (code int, cells []*results.Cell) {
	t.Helper()
	all := []string{"fault", "--quiet", "--report", "off", "--format", "json", "--out", t.TempDir(), "--duration", "3s", "--warmup", "200ms", "--rate", "200"}
	code, stdout, stderr := command(append(all, args...)...)
	if stdout == "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	cells = decode[struct{ Cells []*results.Cell }](t, stdout).Cells
	if len(cells) != 1 || len(cells[0].Faults) != 1 {
		t.Fatalf("%d cells: %s", len(cells), stderr)
	}
	return code, cells
}

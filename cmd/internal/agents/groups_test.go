//go:build unix

package agents

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Two agents share groups of consumers on a real broker: every group gets every message once, and members add up.
func TestAgentsShareGroupsOfConsumers(t *testing.T) {
	needsProc(t)
	for _, name := range []string{"NATS", "KAFKA"} {
		url := os.Getenv("BROKERBENCH_" + name + "_URL")
		if url == "" {
			t.Logf("NO REAL BROKER: BROKERBENCH_%s_URL is not set; see deploy/local/brokers", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, c := shares(t, url, "--topics", "4", "--groups", "2", "--members", "2")
			if c.Ledger != (results.Ledger{Due: 1200, Done: 1200}) || c.First.Count != 1200 || c.Each.Count != 2400 || len(c.Groups) != 2 {
				t.Fatalf("%+v, first %d, each %d, %d groups: %s", c.Ledger, c.First.Count, c.Each.Count, len(c.Groups), r.out.String())
			}
			for _, g := range c.Groups {
				if g.Ledger != c.Ledger || len(g.Members) != 2 || g.Members[0] != 600 || g.Members[1] != 600 || g.Duplicate != 0 || g.P99NS == nil {
					t.Errorf("%+v", g)
				}
			}
			if said := strings.Join(strings.Fields(r.out.String()), " "); !strings.Contains(said, "Each of the 2 agents has 2 topics, and for these 1 of the members of each group: for the broker these are 4 groups.") {
				t.Error(said)
			}
		})
	}
}

// Agents make the streams of their own topics and no others.
func TestAgentsMakeEachStreamOnce(t *testing.T) {
	needsProc(t)
	base := os.Getenv("BROKERBENCH_REDIS_URL")
	if base == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_REDIS_URL is not set; see deploy/local/brokers")
	}
	t.Parallel()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	target.Path, target.RawQuery = "/13", "stream=group" // a database of its own
	stop, most := make(chan struct{}), make(chan int)
	before := databaseSize(t, target)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				most <- n
				return
			case <-time.After(100 * time.Millisecond):
				n = max(n, databaseSize(t, target)-before)
			}
		}
	}()
	r, c := shares(t, target.String(), "--topics", "4", "--groups", "2", "--members", "2")
	close(stop)
	if n := <-most; n != 4 || c.Ledger.Done != 1200 {
		t.Errorf("%d streams at once, want 4; %+v: %s", n, c.Ledger, r.out.String())
	}
	if n := databaseSize(t, target) - before; n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// databaseSize asks Redis how many keys the database of a URL has.
func databaseSize(t *testing.T, target *url.URL) int {
	c, err := net.Dial("tcp", target.Host)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = c.Close() }()
	n := 0
	_, err = fmt.Fprintf(c, "SELECT %s\r\nDBSIZE\r\n", strings.Trim(target.Path, "/"))
	if err == nil {
		_, err = fmt.Fscanf(c, "+OK\r\n:%d\r\n", &n)
	}
	if err != nil {
		t.Error(err)
	}
	return n
}

// shares measures 1,200 messages of a target on two agents.
func shares(t *testing.T, url string, more ...string) (*run, *results.Cell) {
	t.Helper()
	dir := t.TempDir()
	r := begin(t, dir, nil, append([]string{
		"run", url, "--agents", "local:2", "--connections", "8", "--rate", "300", "--duration", "4s", "--warmup", "1s", "--floor=off", "--details",
		"--out", filepath.Join(dir, "out"), "--report", "off",
	}, more...)...)
	if code := r.end(); code != 0 && code != 2 { // 2: the machine is too busy for a number
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	return r, r.only()
}

// The partitions of messages with keys are added up over agents.
func TestPartitionsOfAgentsAddUp(t *testing.T) {
	needsProc(t)
	url := os.Getenv("BROKERBENCH_KAFKA_URL")
	if url == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_KAFKA_URL is not set; see deploy/local/brokers")
	}
	t.Parallel()
	r, c := shares(t, url+"?partitions=3", "--keys", "100")
	sum := int64(0)
	for i, one := range c.Partitions {
		sum += one.Messages
		if one.Number != i || one.Messages == 0 || one.P99NS == nil || *one.P99NS > one.MaxNS {
			t.Errorf("%+v", one)
		}
	}
	if len(c.Partitions) != 3 || sum != c.Ledger.Done || c.Ledger.Done != 1200 || !strings.Contains(r.out.String(), "the hottest of 3 partitions is ") {
		t.Errorf("%d messages of %d partitions, %d done: %s", sum, len(c.Partitions), c.Ledger.Done, r.out.String())
	}
}

// What an agent that was killed had to send is missing in every group.
func TestGroupsMissWhatAKilledAgentOwed(t *testing.T) {
	needsProc(t)
	t.Parallel()
	r := measures(t, t.TempDir(), "--agents", "local:2", "--on-loss", "keep", "--topics", "2", "--groups", "3", "--members", "2")
	r.wants("on 2 agents")
	signals(t, agents(t, r.cmd.Process.Pid)[1], syscall.SIGKILL)
	if code := r.end(); code != 4 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	c := r.only()
	if len(c.Groups) != 3 || c.Each.Missing != 3*600 || c.First.Missing != 600 {
		t.Fatalf("each misses %d, first %d: %+v", c.Each.Missing, c.First.Missing, c.Groups)
	}
	for _, g := range c.Groups {
		if g.Ledger != (results.Ledger{Due: 1200, Done: 600, Lost: 600}) || g.Members[0]+g.Members[1] != 600 || min(g.Members[0], g.Members[1]) != 0 {
			t.Errorf("%+v", g)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// Half of group 0 is killed; the other half gets everything. Group 1 leaves for two seconds and returns, and gets what came
// meanwhile. Of each member the messages and their p99 are known.
func TestHalfAGroupAndAWholeOneStop(t *testing.T) {
	for broker, options := range map[string]string{"REDIS": "?stream=group&claim-idle=1s", "RABBITMQ": "?durable=true&prefetch=100"} {
		t.Run(broker, func(t *testing.T) {
			url, _, _ := strings.Cut(os.Getenv("BROKERBENCH_"+broker+"_URL"), "?")
			if url == "" {
				t.Skipf("NO REAL BROKER: BROKERBENCH_%s_URL is not set; see deploy/local/brokers", broker)
			}
			t.Parallel()
			file := filepath.Join(t.TempDir(), "half.yaml")
			plan := "targets: ['" + url + options + "']\nduration: 10s\nwarmup: 1s\nmatrix: {rate: 200, size: 256, connections: 2, topology: {topics: 1, groups: 2, members: 4}}\n" +
				"faults:\n  - {at: 2s, do: kill, node: g0m0}\n  - {at: 2s, do: kill, node: g0m1}\n  - {at: 4s, do: leave, node: g1}\n  - {at: 6s, do: join, node: g1}\n"
			if err := os.WriteFile(file, []byte(plan), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, cells, stderr := runJSON(t, "-f", file)
			if len(cells) != 1 {
				t.Fatal(stderr)
			}
			wantHalves(t, cells[0])
		})
	}
}

func wantHalves(t *testing.T, c *results.Cell) {
	t.Helper()
	for _, g := range c.Groups {
		if g.Ledger.Done != 2000 || g.Ledger.Missing() > 0 {
			t.Errorf("group %d: %+v", g.Number, g)
		}
		least := []int64{300, 220}[g.Number] // a member of group 1 that does not return gets 200; the first that returns takes most of what waits
		for member, n := range g.Members {
			if stopped := g.Number == 0 && member < 2; stopped && n > 300 || !stopped && n < least || g.MembersP99NS[member] == nil && n >= 100 {
				t.Errorf("group %d: messages %v, their p99 %v", g.Number, g.Members, g.MembersP99NS)
			}
		}
	}
	for i, f := range c.Faults {
		if f.Error != "" || i == 2 && (f.Impact == nil || f.Impact.WorstNS < int64(1900*time.Millisecond)) {
			t.Errorf("%s: %+v %+v", f.Name(), f, f.Impact)
		}
	}
}

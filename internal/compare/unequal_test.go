package compare_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

func TestUnequalIsRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*results.Cell)
		says   string
	}{
		{with("acks", "all"), "nats: acks 0 against all"},
		{with("audit-session", "true"), "nats: audit-session false against true"},
		{rate(2000), "nats: rate 1000/s against 2000/s"},
		{shaped(func(s *plan.Shape) { s.Size = 64 }), "nats: size 1024 B against 64 B"},
		{shaped(func(s *plan.Shape) { s.Connections = 25 }), "nats: connections 1 against 25"},
		{shaped(func(s *plan.Shape) { s.InFlight = 1 }), "nats: in-flight open against 1"},
		{shaped(func(s *plan.Shape) { s.Arrivals = "poisson" }), "nats: arrivals constant against poisson"},
		{shaped(func(s *plan.Shape) { s.Payload = "compressible(0.5)" }), "nats: payload random against compressible(0.5)"},
		{shaped(func(s *plan.Shape) { s.Keys = schedule.Keys{Count: 9, Zipf: 1.1} }), "nats: keys none against 9 zipf(1.1)"},
		{shaped(func(s *plan.Shape) { s.Headers = plan.Headers{Count: 8, Bytes: 32} }), "nats: headers none against 8 headers of 32 B"},
		{shaped(func(s *plan.Shape) { s.Backlog = plan.Backlog{Messages: 1000} }), "nats: backlog none against backlog of 1,000"},
		{shaped(func(s *plan.Shape) { s.Topology = plan.Topology{Topics: 1, Groups: 3, Members: 2} }), "nats: topology own against 1 topic, 3 groups of 2"},
		{shaped(func(s *plan.Shape) { s.Sizes = "16B:50%,1024B:50%" }), "nats: size 1024 B against 1024 B of 16B:50%,1024B:50%"},
		{shaped(func(s *plan.Shape) { s.Backlog = plan.Backlog{Bytes: 1 << 20} }), "nats: backlog none against backlog of 1MiB"},
	} {
		base, next := set(three(1)...), set(three(1, c.change, with("linger", "5ms"))...)
		_, err := compare.Compare(base, next, compare.Options{Decisive: decisive()})
		var refused *compare.RefusedError
		if !errors.As(err, &refused) || len(refused.Unequal) != 1 || refused.Unequal[0].String() != c.says {
			t.Errorf("%v, want one refusal: %s", err, c.says)
			continue
		}
		for _, says := range []string{"--unequal", c.says, "linger - against 5ms"} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("the error does not say %q: %v", says, err)
			}
		}
		forced := compared(t, base, next, compare.Options{Force: true})
		if len(forced.Pairs) != 1 || !slices.Equal(forced.Unequal, refused.Unequal) {
			t.Errorf("forced: %d pairs, unequal %v", len(forced.Pairs), forced.Unequal)
		}
	}
}

// What both have, in different numbers, is refused by its name, too; the same is not.
func TestOtherContentsAndConsumersAreRefused(t *testing.T) {
	type change = func(*plan.Shape)
	for _, c := range []struct {
		base, next change
		says       string
	}{
		{func(s *plan.Shape) { s.Topology = plan.Topology{Topics: 4, Groups: 2, Members: 2} }, func(s *plan.Shape) { s.Topology = plan.Topology{Topics: 4, Groups: 2, Members: 1} }, "topology 4 topics, 2 groups of 2 against 4 topics, 2 groups of 1"},
		{func(s *plan.Shape) { s.Topology = plan.Topology{Topics: 4, Groups: 2, Members: 2} }, func(s *plan.Shape) { s.Topology = plan.Topology{Topics: 2, Groups: 2, Members: 2} }, "topology 4 topics, 2 groups of 2 against 2 topics, 2 groups of 2"},
		{func(s *plan.Shape) { s.Sizes = "16B:50%,1024B:50%" }, func(s *plan.Shape) { s.Sizes = "16B:10%,1024B:90%" }, "size 1024 B of 16B:50%,1024B:50% against 1024 B of 16B:10%,1024B:90%"},
		{func(s *plan.Shape) { s.Headers = plan.Headers{Count: 8, Bytes: 32} }, func(s *plan.Shape) { s.Headers = plan.Headers{Count: 8, Bytes: 64} }, "headers 8 headers of 32 B against 8 headers of 64 B"},
		{func(s *plan.Shape) { s.Keys = schedule.Keys{Count: 10, Zipf: 1.1} }, func(s *plan.Shape) { s.Keys = schedule.Keys{Count: 10} }, "keys 10 zipf(1.1) against 10"},
		{func(s *plan.Shape) { s.Keys = schedule.Keys{Count: 10, NullPPM: 1} }, func(s *plan.Shape) { s.Keys = schedule.Keys{Count: 10} }, "keys 10 null=0.0001% against 10"},
		{func(s *plan.Shape) { s.Backlog = plan.Backlog{Messages: 1000} }, func(s *plan.Shape) { s.Backlog = plan.Backlog{Messages: 2000} }, "backlog backlog of 1,000 against backlog of 2,000"},
		{files("a"), files("b"), "payload file:dir (2 files, 2048 B, hash a) against file:dir (2 files, 2048 B, hash b)"},
	} {
		base := set(three(1, shaped(c.base))...)
		_, err := compare.Compare(base, set(three(1, shaped(c.next))...), compare.Options{})
		var refused *compare.RefusedError
		if !errors.As(err, &refused) || len(refused.Unequal) != 1 || refused.Unequal[0].String() != "nats: "+c.says {
			t.Errorf("%v, want one refusal: %s", err, c.says)
		}
		if same := compared(t, base, set(three(1, shaped(c.base))...), compare.Options{}); same.Unequal != nil || len(same.Pairs) != 1 {
			t.Errorf("the same: %d pairs, unequal %v", len(same.Pairs), same.Unequal)
		}
	}
}

// files are the messages of a folder.
func files(hash string) func(*plan.Shape) {
	return func(s *plan.Shape) {
		s.Payload, s.Files = "file:dir", payload.Files{Count: 2, Bytes: 2048, Largest: 1024, SHA256: hash}
	}
}

// What a broker does not have counts as what it amounts to.
func TestAbsentDurabilityIsEqualToNone(t *testing.T) {
	base, next := set(three(1)...), set(three(1, with("acks", "0"), with("audit-session", "false"))...)
	if c := compared(t, base, next, compare.Options{}); c.Unequal != nil {
		t.Errorf("unequal: %v", c.Unequal)
	}
}

// One cell of a matrix that differs does not refuse the others; it is named.
func TestUnequalBesidesEqual(t *testing.T) {
	base := joined(three(1, rate(10)), three(1, rate(20)))
	next := joined(three(1, rate(10)), three(1, rate(30)))
	c := compared(t, base, next, compare.Options{})
	if len(c.Pairs) != 1 || len(c.Unpaired) != 2 || c.Unequal != nil {
		t.Errorf("%d pairs, unpaired %v, unequal %v", len(c.Pairs), c.Unpaired, c.Unequal)
	}
	c = compared(t, base, next, compare.Options{Force: true})
	if len(c.Pairs) != 2 || len(c.Unpaired) != 0 || len(c.Unequal) != 1 {
		t.Errorf("by force %d pairs, unpaired %v, unequal %v", len(c.Pairs), c.Unpaired, c.Unequal)
	}
}

func TestDifferencesAreListed(t *testing.T) {
	base, next := set(three(1, with("linger", "0s"), with("monitoring", "http://127.0.0.1:1"))...), set(three(1, with("linger", "5ms"), with("monitoring", "http://127.0.0.1:2"), func(c *results.Cell) {
		c.Broker.Version, c.Broker.Client, c.Plan.Target.URL = "2.15.2", "nats.go v1.55.0", "nats://other"
		c.Plan.Settings = plan.Settings{Duration: time.Minute, Warmup: time.Second, Timeout: time.Hour, Seed: 7, Senders: 2}
		c.SpinNS = 50_000
	})[:2]...)
	base.Run.Environment = results.Environment{Kernel: "6.1", CPUs: 2, MemoryBytes: 1 << 30}
	next.Run.Environment = results.Environment{Kernel: "6.2", CPUs: 4, MemoryBytes: 2 << 30, Host: "b"}
	var got []string
	for _, d := range compared(t, base, next, compare.Options{}).Differences {
		got = append(got, d.String())
	}
	want := []string{
		"environment: kernel 6.1 against 6.2", `environment: host "" against b`, "environment: CPUs 2 against 4",
		"environment: memory 1024 MiB against 2048 MiB",
		`nats: version "" against 2.15.2`, `nats: client "" against nats.go v1.55.0`, `nats: url "" against nats://other`,
		"nats: repeats 3 against 2", "nats: spin in force 0s against 50µs", "nats: duration 0s against 1m0s", "nats: warm-up 0s against 1s",
		"nats: timeout 0s against 1h0m0s", "nats: seed 0 against 7", "nats: senders 1 against 2", "nats: linger 0s against 5ms",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if d := compared(t, base, base, compare.Options{}).Differences; d != nil {
		t.Errorf("of the same: %v", d)
	}
}

// A fact that one of two sides does not know is no difference; a page cache of another size is none
// either.
func TestDifferentFactsOfTheMachinesAreListed(t *testing.T) {
	kernel := func(release string) func(*results.Cell) {
		return func(c *results.Cell) {
			slow, fast, kind := release == "6.1", release == "6.2", "ext4"
			c.Broker.Kernel, c.Disks = &release, []results.Disk{{Storage: results.Storage{FileSystem: &kind, MountOptions: &release, Rotational: &slow, Virtual: &fast}}}
			if fast {
				c.Disks[0].Virtual, c.Disks[0].Drive = nil, &kind
			}
		}
	}
	base, next := set(three(1, kernel("6.1"))...), set(three(1, kernel("6.2"))...)
	powersave, performance, ten, twenty, size := "powersave", "performance", int64(10), int64(20), int64(1<<30)
	base.Run.Environment = results.Environment{CPUGovernor: &powersave, CPUDriver: &powersave, DirtyRatio: &twenty, PageCacheBytes: &ten}
	next.Run.Environment = results.Environment{CPUGovernor: &performance, DirtyRatio: &ten, DirtyBytes: &size, PageCacheBytes: &size}
	var got []string
	for _, d := range compared(t, base, next, compare.Options{}).Differences {
		got = append(got, d.String())
	}
	want := []string{
		"environment: CPU governor powersave against performance", "environment: vm.dirty_ratio 20 against 10", "nats: kernel of the broker 6.1 against 6.2",
		"nats: mount options 6.1 against 6.2", "nats: rotational drive true against false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Agents elsewhere measure from their own places, and each with a part of the messages: that is
// said, and refuses nothing.
func TestAgentsAreADifference(t *testing.T) {
	by := func(n int) func(*results.Cell) {
		return func(c *results.Cell) { c.Agents = make([]results.Agent, n) }
	}
	for _, tt := range []struct {
		base, next int
		want       string
	}{
		{0, 3, "nats: measured by one process against 3 agents"},
		{3, 0, "nats: measured by 3 agents against one process"},
		{3, 4, "nats: measured by 3 agents against 4 agents"},
		{1, 0, "nats: measured by 1 agent against one process"},
		{3, 3, ""},
		{0, 0, ""},
	} {
		c := compared(t, set(three(1, by(tt.base))...), set(three(1, by(tt.next))...), compare.Options{})
		var found []string
		for _, d := range c.Differences {
			if d.Name == "measured by" {
				found = append(found, d.String())
			}
		}
		if got := strings.Join(found, "; "); got != tt.want || len(c.Pairs) != 1 {
			t.Errorf("%d against %d: %q, want %q", tt.base, tt.next, got, tt.want)
		}
	}
}

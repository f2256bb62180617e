package inject_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

const (
	warmup = time.Second
	window = 30 * time.Second
)

func cell(faults ...plan.Fault) plan.Cell {
	return plan.Cell{Shape: plan.Shape{Rate: 1000}, Settings: plan.Settings{Warmup: warmup, Duration: window, Seed: 7, Faults: faults}}
}

// injected runs a cell that does nothing but inject faults, in virtual time, for so long, and heals it.
func injected(t *testing.T, c *cluster, f requester.Factory, lasts time.Duration, faults ...plan.Fault) []results.Fault {
	t.Helper()
	b := inject.New(cell(faults...), inject.Options{Nodes: c.nodes(), Network: c.network})
	b.Begin(f, time.Now(), warmup)
	time.Sleep(lasts)
	return heal(b, time.Minute)
}

func heal(b *inject.Injector, limit time.Duration) []results.Fault {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return b.Heal(ctx)
}

func TestALeaderIsKilledAndRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, warmup+window, plan.Fault{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader, Restart: 5 * time.Second})[0]
		if want := []string{"11s kill 1", "18s start 1"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		if got.Error != "" || !slices.Equal(got.Nodes, []string{"1"}) || got.LeaderBefore != "1" || got.LeaderAfter != "2" || got.Plan.Seed != 7 {
			t.Errorf("got %+v", got)
		}
		at(t, "began", &got.BeganNS, 11*time.Second)
		at(t, "broken", &got.BrokenNS, 11*time.Second)
		at(t, "healed", got.HealedNS, 18*time.Second)
		at(t, "another leads", got.LeaderNS, 12*time.Second)
		at(t, "without a leader for", &got.LeaderlessNS, 750*time.Millisecond)
		at(t, "redundant", got.RedundantNS, 18*time.Second)
	})
}

// A node that stops in good order hands on what it leads, and takes seconds to end.
func TestAnotherLeadsWhileANodeStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.stopping = 8 * time.Second
		got := injected(t, c, c, warmup+window, plan.Fault{At: 5 * time.Second, Do: plan.Stop, Node: plan.Leader, Restart: 12 * time.Second})[0]
		if got.Error != "" || got.LeaderBefore != "1" || got.LeaderAfter != "2" {
			t.Errorf("got %+v", got)
		}
		at(t, "began", &got.BeganNS, 6*time.Second)
		at(t, "another leads", got.LeaderNS, 7*time.Second)
		at(t, "broken", &got.BrokenNS, 14*time.Second)
		at(t, "redundant", got.RedundantNS, 20*time.Second)
	})
}

// Who led while a node was being stopped does not lead for that reason when it has ended.
func TestWhoLedBeforeIsNotWhoLeadsAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.stopping, c.electing = 5*time.Second, time.Hour
		got := injected(t, c, c, 8*time.Second, plan.Fault{At: time.Second, Do: plan.Stop, Node: plan.Leader})[0]
		if got.LeaderAfter != "" || got.LeaderNS != nil {
			t.Errorf("got %+v", got)
		}
	})
}

// at checks an offset, which is seen within a second.
func at(t *testing.T, what string, got *int64, want time.Duration) {
	t.Helper()
	if got == nil || time.Duration(*got) < want || time.Duration(*got) > want+time.Second {
		t.Errorf("%s: got %v, want %v", what, offset(got), want)
	}
}

func offset(ns *int64) string {
	if ns == nil {
		return "never"
	}
	return time.Duration(*ns).String()
}

// Whatever is broken until the end of the cell is healed then, and what was only to break
// never breaks.
func TestHealEndsEveryFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, 10*time.Second,
			plan.Fault{At: time.Second, Do: plan.Kill, Node: "2"},
			plan.Fault{At: 2 * time.Second, Do: plan.Pause, Node: "3", For: time.Minute},
			plan.Fault{At: 3 * time.Second, Do: plan.Cut, Node: plan.Leader},
			plan.Fault{At: 20 * time.Second, Do: plan.Kill, Node: plan.AllNodes},
		)
		want := []string{
			"2s kill 2", "3s pause 3", "4s network 1 {Deaf:true Mute:true Delay:0s Jitter:0s Loss:0 Throttle:0 Seed:0}",
			"10s network 1 {Deaf:false Mute:false Delay:0s Jitter:0s Loss:0 Throttle:0 Seed:0}", "10s resume 3", "12s start 2",
		}
		slices.Sort(c.log)
		slices.Sort(want)
		if !slices.Equal(c.log, want) {
			t.Errorf("done: %q", c.log)
		}
		for _, f := range got[:3] {
			if f.Error != "" || f.HealedNS == nil {
				t.Errorf("got %+v", f)
			}
		}
		if last := got[3]; last.Error != "the cell ended before" || last.BrokenNS != 0 || last.HealedNS != nil {
			t.Errorf("got %+v", last)
		}
	})
}

// A node that does not come up does not hold up the end of the cell for ever.
func TestHealEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.starting = time.Hour
		b := inject.New(cell(plan.Fault{Do: plan.Kill, Node: "1", Restart: time.Second}), inject.Options{Nodes: c.nodes()})
		b.Begin(c, time.Now(), warmup)
		time.Sleep(5 * time.Second)
		begun := time.Now()
		got := heal(b, 20*time.Second)[0]
		if took := time.Since(begun); took < 20*time.Second || took > 23*time.Second {
			t.Errorf("healing took %v", took)
		}
		if got.HealedNS != nil || !strings.Contains(got.Error, "it took too long") {
			t.Errorf("got %+v", got)
		}
	})
}

// Who gives up is not told that it took too long, and nothing is said twice.
func TestHealThatIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		why  string
		give func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"it was interrupted", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}},
		{"it took too long", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			of := newCluster()
			of.starting = time.Hour
			b := inject.New(cell(plan.Fault{Do: plan.Kill, Node: "1", Restart: time.Second}), inject.Options{Nodes: of.nodes()})
			b.Begin(of, time.Now(), warmup)
			time.Sleep(5 * time.Second)
			ctx, cancel := c.give(t.Context())
			defer cancel()
			if got := b.Heal(ctx)[0].Error; strings.Count(got, c.why) != 1 || strings.Contains(got, "context") {
				t.Errorf("got %q, want %q once", got, c.why)
			}
		})
	}
}

// Nor does one that does not even notice that it is called off; what is known of it is said.
func TestHealEndsWithoutAnActionThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.stopping = time.Hour
		b := inject.New(cell(plan.Fault{Do: plan.Stop, Node: plan.Leader}), inject.Options{Nodes: c.nodes()})
		b.Begin(c, time.Now(), warmup)
		time.Sleep(5 * time.Second)
		begun := time.Now()
		got := heal(b, 20*time.Second)[0]
		if took := time.Since(begun) - 20*time.Second; took < 0 || took > 500*time.Millisecond {
			t.Errorf("healing took %v longer than it may", took)
		}
		if got.LeaderBefore != "1" || got.LeaderAfter != "2" || got.BrokenNS != 0 {
			t.Errorf("got %+v", got)
		}
		time.Sleep(2 * time.Hour) // what was left behind ends
	})
}

func TestOneOfTheFollowersIsDrawnBySeed(t *testing.T) {
	drawn := make(map[string]bool)
	for seed := range uint64(20) {
		var names []string
		for range 2 {
			synctest.Test(t, func(*testing.T) {
				c, of := newCluster(), cell(plan.Fault{At: 2 * time.Second, Do: plan.Pause, Node: plan.AnyFollower, For: time.Second})
				of.Settings.Seed = seed
				b := inject.New(of, inject.Options{Nodes: c.nodes()})
				b.Begin(c, time.Now(), warmup)
				time.Sleep(10 * time.Second)
				names = append(names, fmt.Sprint(heal(b, time.Minute)[0].Nodes))
			})
		}
		if names[0] != names[1] || names[0] == "[1]" {
			t.Errorf("seed %d: %q", seed, names)
		}
		drawn[names[0]] = true
	}
	if len(drawn) != 2 {
		t.Errorf("of the followers only %v", drawn)
	}
}

// Node 1 is dead when one of all is drawn.
func TestADeadNodeIsNotDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		faults := []plan.Fault{{Do: plan.Kill, Node: "1"}}
		for i := range 12 {
			faults = append(faults, plan.Fault{At: time.Duration(i+1) * time.Second, Do: plan.Pause, Node: plan.AnyNode, For: 100 * time.Millisecond})
		}
		for _, f := range injected(t, c, c, 20*time.Second, faults...)[1:] {
			if f.Error != "" || f.Nodes[0] == "1" {
				t.Errorf("got %+v", f)
			}
		}
	})
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	leader := plan.Fault{At: 5 * time.Second, Do: plan.Kill, Node: plan.Leader}
	for want, change := range map[string]func(*cluster, *plan.Fault) requester.Factory{
		"no node says that it leads: no answer":                                              func(c *cluster, _ *plan.Fault) requester.Factory { c.leader = -1; return c },
		"the target does not tell who leads":                                                 func(*cluster, *plan.Fault) requester.Factory { return silent{} },
		"stream s is led by localhost:4007, which is none of the nodes: 1 at 127.0.0.1:4000": func(c *cluster, _ *plan.Fault) requester.Factory { c.leader = 7; return c },
		`there is no node "9"`:                                                               func(c *cluster, f *plan.Fault) requester.Factory { f.Node = "9"; return c },
		"no permission":                                                                      func(c *cluster, _ *plan.Fault) requester.Factory { c.refuses = errors.New("no permission"); return c },
	} {
		synctest.Test(t, func(t *testing.T) {
			c, f := newCluster(), leader
			factory := change(c, &f)
			got := injected(t, c, factory, warmup+window, f)[0]
			if !strings.Contains(got.Error, want) || got.BrokenNS != 0 || got.HealedNS != nil {
				t.Errorf("got %+v, want %s", got, want)
			}
		})
	}
}

// A leader that is there a little later is still killed, and late.
func TestALeaderThatIsFoundLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.leader = -1
		time.AfterFunc(8*time.Second, func() { c.mu.Lock(); c.leader = 1; c.mu.Unlock() })
		got := injected(t, c, c, warmup+window, plan.Fault{At: 5 * time.Second, Do: plan.Kill, Node: plan.Leader})[0]
		if got.Error != "" || !slices.Equal(got.Nodes, []string{"2"}) {
			t.Errorf("got %+v", got)
		}
		at(t, "began", &got.BeganNS, 8*time.Second)
	})
}

// A fault that begins late is as long as the plan says, or ends with the cell.
func TestALateFaultIsNoShorter(t *testing.T) {
	for lasts, ends := range map[time.Duration]time.Duration{warmup + window: 12 * time.Second, 10 * time.Second: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := newCluster()
			c.leader = -1
			time.AfterFunc(8*time.Second, func() { c.mu.Lock(); c.leader = 1; c.mu.Unlock() })
			got := injected(t, c, c, lasts, plan.Fault{At: 5 * time.Second, Do: plan.Pause, Node: plan.Leader, For: 4 * time.Second})[0]
			if got.Error != "" {
				t.Errorf("got %+v", got)
			}
			at(t, "began", &got.BeganNS, 8*time.Second)
			at(t, "healed", got.HealedNS, ends)
		})
	}
}

// A fault that cannot be made is not watched.
func TestAFaultThatFailsIsNotWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.refuses = errors.New("no permission")
		if injected(t, c, c, warmup+window, plan.Fault{At: time.Second, Do: plan.Kill, Node: "2"}); c.asked > 15 {
			t.Errorf("asked %d times", c.asked)
		}
	})
}

// Of two faults of one network, each keeps its own end.
func TestNetworkFaultsOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		injected(t, c, silent{}, 10*time.Second,
			plan.Fault{Do: plan.Slow, Node: "1", Delay: 20 * time.Millisecond, Loss: 0.5, For: 3 * time.Second},
			plan.Fault{At: time.Second, Do: plan.HalfOpen, Node: "1", For: time.Second},
		)
		want := []string{
			"1s network 1 {Deaf:false Mute:false Delay:20ms Jitter:0s Loss:0.5 Throttle:0 Seed:0}",
			"2s network 1 {Deaf:false Mute:true Delay:20ms Jitter:0s Loss:0.5 Throttle:0 Seed:0}",
			"3s network 1 {Deaf:false Mute:false Delay:20ms Jitter:0s Loss:0.5 Throttle:0 Seed:0}",
			"4s network 1 {Deaf:false Mute:false Delay:0s Jitter:0s Loss:0 Throttle:0 Seed:0}",
		}
		if !slices.Equal(c.log, want) {
			t.Errorf("done: %q", c.log)
		}
	})
}

// The target is asked who leads only until it is known.
func TestWatchingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		injected(t, c, c, warmup+window, plan.Fault{At: time.Second, Do: plan.Pause, Node: "2", For: time.Second})
		if c.asked > 10 {
			t.Errorf("asked %d times", c.asked)
		}
	})
}

// A network through which nobody goes is cut, and nobody notices: that is said.
func TestACutWithoutAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.clients = 0
		got := injected(t, c, c, 5*time.Second, plan.Fault{Do: plan.Cut, Node: "2", For: time.Second})[0]
		if got.Error == "" || got.BrokenNS != 0 || len(c.log) != 2 {
			t.Errorf("got %+v, done: %q", got, c.log)
		}
	})
}

func TestConsumersAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, 5*time.Second, plan.Fault{Do: plan.ConsumerPause, Node: plan.Consumers, For: time.Second}, plan.Fault{At: time.Second, Do: plan.Kill, Node: "1", Restart: time.Second})
		if len(got) != 2 || got[0].Error != "" || got[0].BrokenNS != 0 || got[1].BrokenNS == 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestHealWithoutBegin(t *testing.T) {
	if got := inject.New(cell(plan.Fault{Do: plan.Kill, Node: "1"}), inject.Options{}).Heal(t.Context()); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestACommandIsRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "made")
	b := inject.New(cell(
		plan.Fault{Do: plan.Run, Command: []string{"sh", "-c", "sleep 0.5; touch \"$0\"", file}}, // the others have begun by then
		plan.Fault{Do: plan.Run, Command: []string{"sh", "-c", "echo one; echo two >&2; exit 3"}},
		plan.Fault{Do: plan.Run, Command: []string{"no-such-program"}},
	), inject.Options{})
	b.Begin(silent{}, time.Now().Add(-warmup), warmup)
	poll.Until(t, 20*time.Second, func() bool { _, err := os.Stat(file); return err == nil }, "%s is not there", file)
	got := heal(b, time.Minute)
	if got[0].Error != "" || got[0].BrokenNS == 0 {
		t.Errorf("got %+v", got[0])
	}
	if want := "exit status 3: two"; !strings.HasSuffix(got[1].Error, want) || got[1].BrokenNS != 0 {
		t.Errorf("got %+v, want %s", got[1], want)
	}
	if !strings.Contains(got[2].Error, "no-such-program") {
		t.Errorf("got %+v", got[2])
	}
}

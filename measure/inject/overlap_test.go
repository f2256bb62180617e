package inject_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A node that two faults pause goes on when both are over.
func TestTwoPausesOfOneNodeAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := breakIt(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Pause, Node: "2", For: 10 * time.Second},
			plan.Fault{At: 5 * time.Second, Do: plan.Pause, Node: plan.AllNodes, For: 10 * time.Second},
		)
		slices.Sort(c.log)
		if want := []string{"16s resume 1", "16s resume 2", "16s resume 3", "2s pause 2", "6s pause 1", "6s pause 3"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		for _, f := range got {
			if f.Error != "" || f.HealedNS == nil {
				t.Errorf("got %+v", f)
			}
		}
	})
}

// A node that was paused, then killed and started again is paused anew.
func TestANodeThatStartedIsNotPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		breakIt(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Pause, Node: "2", For: 10 * time.Second},
			plan.Fault{At: 2 * time.Second, Do: plan.Kill, Node: "2", Restart: time.Second},
			plan.Fault{At: 8 * time.Second, Do: plan.Pause, Node: "2", For: 10 * time.Second},
		)
		if want := []string{"2s pause 2", "3s kill 2", "6s start 2", "9s pause 2", "19s resume 2"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
	})
}

// Who kills a node that another fault has killed does nothing, says so, and does not start it
// before its time. While it starts again, it can be killed.
func TestADeadNodeIsNotKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := breakIt(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Stop, Node: "2", Restart: 10 * time.Second},
			plan.Fault{At: 5 * time.Second, Do: plan.Kill, Node: "2", Restart: time.Second},
			plan.Fault{At: 12 * time.Second, Do: plan.Kill, Node: "2", Restart: 5 * time.Second},
		)
		if want := []string{"2s stop 2", "13s kill 2", "14s start 2", "20s start 2"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		if got[0].Error != "" || got[2].Error != "" {
			t.Errorf("got %+v", got)
		}
		if got[1].BrokenNS != 0 || got[1].HealedNS != nil || !strings.Contains(got[1].Error, "node 2 does not run: another fault has ended it") {
			t.Errorf("got %+v", got[1])
		}
	})
}

package inject_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	processes "github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/plan"
)

// A node that two faults pause goes on when both are over.
func TestTwoPausesOfOneNodeAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, warmup+window,
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
		injected(t, c, c, warmup+window,
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
		got := injected(t, c, c, warmup+window,
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

// Who ends all nodes ends those that run. Each is started when its own fault is over.
func TestAllAreThoseThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Kill, Node: "2", Restart: 10 * time.Second},
			plan.Fault{At: 2 * time.Second, Do: plan.Stop, Node: plan.AllNodes, Restart: time.Second},
			plan.Fault{At: 2500 * time.Millisecond, Do: plan.Kill, Node: plan.AllNodes, Restart: time.Second},
		)
		slices.Sort(c.log)
		if want := []string{"14s start 2", "2s kill 2", "3s stop 1", "3s stop 3", "6s start 1", "6s start 3"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		if got[0].Error != "" || got[1].Error != "" || !slices.Equal(got[1].Nodes, []string{"1", "3"}) || got[1].HealedNS == nil {
			t.Errorf("got %+v", got)
		}
		if got[2].Done() || !strings.Contains(got[2].Error, "no node runs") {
			t.Errorf("got %+v", got[2])
		}
	})
}

// The end of a pause does nothing to a node that was killed meanwhile: a container that does
// not run cannot be resumed.
func TestTheEndOfAPauseLeavesADeadNodeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Pause, Node: "2", For: 5 * time.Second},
			plan.Fault{At: 2 * time.Second, Do: plan.Kill, Node: "2", Restart: 10 * time.Second},
		)
		if want := []string{"2s pause 2", "3s kill 2", "15s start 2"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		if got[0].Error+got[1].Error != "" {
			t.Errorf("got %+v", got)
		}
	})
}

// A node that has ended by itself was not killed, and is not started: else nobody would see
// that it had.
func TestANodeThatEndedByItselfIsNotKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		c.refuses = fmt.Errorf("killing node 2: %w: exit status 3", processes.ErrEnded)
		got := injected(t, c, c, warmup+window, plan.Fault{At: time.Second, Do: plan.Kill, Node: "2", Restart: time.Second})
		if want := []string{"2s kill 2"}; !slices.Equal(c.log, want) {
			t.Errorf("done: %q, want %q", c.log, want)
		}
		if got[0].Done() || got[0].HealedNS != nil || !strings.Contains(got[0].Error, "exit status 3") {
			t.Errorf("got %+v", got[0])
		}
	})
}

// A pause that could not be made pauses nothing: the next one does, and ends when it should.
func TestAPauseThatFailsDoesNotHideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster()
		got := injected(t, c, c, warmup+window,
			plan.Fault{At: time.Second, Do: plan.Kill, Node: "2", Restart: 2 * time.Second},
			plan.Fault{At: 2 * time.Second, Do: plan.Pause, Node: plan.AllNodes, For: 10 * time.Second},
			plan.Fault{At: 6 * time.Second, Do: plan.Pause, Node: "2", For: 2 * time.Second},
		)
		for _, want := range []string{"7s pause 2", "9s resume 2"} {
			if !slices.Contains(c.log, want) {
				t.Errorf("done: %q, want %q", c.log, want)
			}
		}
		if got[1].Error == "" || got[2].Error != "" || !got[2].Done() {
			t.Errorf("got %+v", got)
		}
	})
}

// Of faults that end a node before the first knows that it is gone, none says that it ended by
// itself.
func TestWhoComesSecondDoesNotSayThatItEndedByItself(t *testing.T) {
	for range 50 { // either may be first
		synctest.Test(t, func(t *testing.T) {
			c := newCluster()
			c.stopping, c.killing = time.Second, time.Second
			got := injected(t, c, c, warmup+window,
				plan.Fault{At: 5 * time.Second, Do: plan.Stop, Node: "2", Restart: 3 * time.Second},
				plan.Fault{At: 5 * time.Second, Do: plan.Kill, Node: "2", Restart: 3 * time.Second},
				plan.Fault{At: 5500 * time.Millisecond, Do: plan.Kill, Node: "2", Restart: 3 * time.Second},
			)
			for _, f := range got {
				if strings.Contains(f.Error, "had ended before") {
					t.Errorf("%+v", f)
				}
			}
			if !got[0].Done() && !got[1].Done() {
				t.Errorf("got %+v", got)
			}
			if c.dead[1] {
				t.Error("node 2 was not started again")
			}
		})
	}
}

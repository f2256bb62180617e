package inject_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A node that is cut off from the others too is out of step, which a cut between clients and
// nodes cannot make it: only then it is waited for.
func TestAPartitionTakesACopyAway(t *testing.T) {
	for _, by := range []results.Means{results.ByRelay, results.ByNamespaces} {
		t.Run(string(by), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster()
				b := inject.New(cell(plan.Fault{At: 5 * time.Second, Do: plan.Cut, Node: plan.Leader, For: 3 * time.Second}), inject.Options{
					Nodes: c.nodes(), By: func(plan.Fault) results.Means { return by },
					Network: func(node int, s relay.State) (int, error) {
						if by == results.ByNamespaces {
							c.partition(node, s.Deaf)
						}
						return c.network(node, s)
					},
				})
				b.Begin(c, time.Now(), warmup)
				time.Sleep(warmup + window)
				got := heal(b, time.Minute)[0]
				if got.By != by || got.Error != "" || got.LeaderBefore != "1" {
					t.Errorf("got %+v", got)
				}
				if by == results.ByRelay {
					if got.LeaderAfter != "1" || got.LeaderNS != nil || got.RedundantNS != nil {
						t.Errorf("got %+v", got)
					}
					return
				}
				at(t, "another leads", got.LeaderNS, 7*time.Second)
				at(t, "redundant", got.RedundantNS, 9*time.Second)
			})
		})
	}
}

// partition makes the others go on without a node, or with it again.
func (c *cluster) partition(node int, away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !away {
		delete(c.dead, node)
		return
	}
	(&process{c, node}).end()
}

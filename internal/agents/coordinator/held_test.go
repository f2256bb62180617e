package coordinator_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/agent"
	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A coordinator is gone after agent a1 has delivered to it, while a2 still audits: the next one
// collects both results, and nothing is measured again. If it is another process that is a2 by
// then, or another cell, all is measured again.
func TestTheNextCoordinatorCollectsWhatWasMeasured(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*coordinator.Attempt)
		want  int64 // parts that are measured in all
	}{
		{"the same agents", func(*coordinator.Attempt) {}, 2},
		{"another process", func(a *coordinator.Attempt) { a.Epochs["a2"] = "other" }, 4},
		{"another cell", func(a *coordinator.Attempt) { a.Cell = "other" }, 4},
		{"another attempt", func(a *coordinator.Attempt) { a.Key = "other" }, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			var conn *nats.Conn
			var begun coordinator.Attempt
			first := s.coordinate(func(cfg *coordinator.Config) {
				cfg.Lease = 5 * time.Second
				conn, cfg.Begun = cfg.Conn, func(a coordinator.Attempt) { begun = a }
			})
			var measured atomic.Int64
			gone := make(chan struct{})
			counts := func(wait <-chan struct{}) func(context.Context, wire.Task, string, agent.Hooks) error {
				return func(ctx context.Context, task wire.Task, dir string, hooks agent.Hooks) error {
					measured.Add(1)
					err := onLoopback(ctx, task, dir, hooks)
					if wait != nil {
						<-wait // it audits
					}
					return err
				}
			}
			ends := []<-chan error{s.join(0, "v1", counts(nil)), s.join(1, "v1", counts(gone))}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _, _ = first.Measure(ctx, cell(2), "cell", folder(t), coordinator.Central{})
			}()
			s.says("a1", wire.Delivered)
			conn.Close()
			close(gone)
			cancel()
			s.says("a2", wire.Done) // it can deliver to none
			<-ended
			tt.spoil(&begun)
			s.mu.Lock()
			s.said = nil
			s.mu.Unlock()
			next := s.coordinate(func(cfg *coordinator.Config) { cfg.First, cfg.Held = 1000, &begun })
			to := folder(t)
			parts, start, err := next.Measure(t.Context(), cell(2), "cell", to, coordinator.Central{})
			if err != nil {
				t.Fatal(err)
			}
			sum, err := merge.Cell(cell(2), start, parts, merge.Options{Folder: to})
			if err != nil || sum.Ledger.Done != 100 || sum.Interrupted || len(sum.Agents) != 2 {
				t.Errorf("%+v, %v", sum, err)
			}
			if measured.Load() != tt.want || tt.want == 2 != start.Equal(begun.Start) {
				t.Errorf("%d parts were measured, want %d; it began at %v, before at %v", measured.Load(), tt.want, start, begun.Start)
			}
			if said := strings.Join(s.said, "\n"); tt.want == 2 != strings.Contains(said, "their results are collected") || strings.Contains(said, "given up") {
				t.Error(said)
			}
			next.End(t.Context())
			for _, end := range ends {
				if err := <-end; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

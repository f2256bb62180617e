package measure

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// bySize carries large messages over a slow system, and the others over a fast one.
type bySize struct{ small, large requester.Factory }

type twoSystems struct {
	requester.Requester

	large requester.Requester
}

func (f bySize) New(conn int, sink requester.Sink) (requester.Requester, error) {
	small, err := f.small.New(conn, sink)
	if err != nil {
		return nil, err
	}
	large, err := f.large.New(conn, sink)
	return twoSystems{small, large}, err
}

func (r twoSystems) Setup(ctx context.Context) error {
	if err := r.large.Setup(ctx); err != nil {
		return err
	}
	return r.Requester.Setup(ctx)
}

func (r twoSystems) Request(ctx context.Context, payload []byte) error {
	if len(payload) > 1024 {
		return r.large.Request(ctx, payload)
	}
	return r.Requester.Request(ctx, payload)
}

func (r twoSystems) Teardown(ctx context.Context) error {
	if err := r.large.Teardown(ctx); err != nil {
		return err
	}
	return r.Requester.Teardown(ctx)
}

func newLoopback(t *testing.T, delay time.Duration) requester.Factory {
	t.Helper()
	f, err := loopback.New(loopback.Config{Delay: delay})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A target that delays only large messages shows that in their class alone. The classes add up to
// all messages, and are those that the seed draws.
func TestEachSizeHasItsHistogram(t *testing.T) {
	cell := cellOf(1000, 5*time.Second)
	cell.Shape.Size, cell.Shape.Sizes, cell.Settings.Seed = 0, "256B:90%,65536B:10%", 3
	f := bySize{newLoopback(t, ms), newLoopback(t, 50*ms)}
	folder := newFolder(t, newStore(t), "sizes")
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = judged(t.Context(), f, cell, Options{NewWaiter: load.SleepWaiter, Folder: folder}); err != nil {
			t.Fatal(err)
		}
	})
	drawn := cell.Shape.Sizes.Mix(3).Count(0, 1000, 6000)
	if len(c.Sizes) != 2 || drawn[0]+drawn[1] != 5000 {
		t.Fatalf("%d sizes, %v drawn", len(c.Sizes), drawn)
	}
	for class, want := range []time.Duration{ms, 50 * ms} {
		s := c.Sizes[class]
		if s.Ledger.Due != drawn[class] || s.Ledger.Done != drawn[class] || s.Response.Count != drawn[class] || s.Service.Count != drawn[class] {
			t.Errorf("size %d: %+v, %d responses, want %d", s.Bytes, s.Ledger, s.Response.Count, drawn[class])
		}
		for _, p := range []float64{50, 99, 100} {
			wantNear(t, s.Response, p, want)
			wantNear(t, s.Service, p, want)
		}
		if row, _ := s.Response.At(50); row.LowNS == nil || row.Use == "" || s.Response.Histogram == "" {
			t.Errorf("size %d: p50 has neither an interval nor a use: %+v", s.Bytes, row)
		}
	}
	if c.Response.Count != 5000 || c.Ledger.Due != 5000 || c.Response.MaxNS < int64(50*ms) {
		t.Errorf("all sizes: %d responses of %+v", c.Response.Count, c.Ledger)
	}
	log := make([]int64, 2)
	for _, e := range readLog(t, folder).Entries {
		for class := range log {
			if e.Tag == record.Tags[record.OfSize(record.Response, class)] {
				log[class] += e.Histogram.Count()
			}
		}
	}
	if !slices.Equal(log, drawn) {
		t.Errorf("the log has %v, want %v", log, drawn)
	}
	one := c.BySize()
	if one[1].Plan.Shape.Size != 65536 || one[1].Ledger != c.Sizes[1].Ledger || one[1].Tag("response") != "response-size2" || one[1].Tag("lag") != "lag" {
		t.Errorf("the cell of the second size: %+v, %q", one[1].Plan.Shape, one[1].Tag("response"))
	}
}

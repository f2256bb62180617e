package measure

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A measurer counts the messages of a loopback, and what the engine does meanwhile.
type measurer struct {
	requester.Factory
	sent, torn atomic.Int64
	asked      []string
}

type counted struct {
	requester.Requester
	of *measurer
}

func (m *measurer) New(conn int, sink requester.Sink) (requester.Requester, error) {
	r, err := m.Factory.New(conn, sink)
	return counted{r, m}, err
}

func (c counted) Request(ctx context.Context, payload []byte) error {
	c.of.sent.Add(1)
	return c.Requester.Request(ctx, payload)
}

func (c counted) Teardown(ctx context.Context) error {
	c.of.torn.Add(1)
	return c.Requester.Teardown(ctx)
}

func (m *measurer) Measured() []requester.Setting {
	m.asked = append(m.asked, "measured")
	if m.sent.Load() != 401 || m.torn.Load() != 0 { // with the probe
		m.asked = append(m.asked, "too early or too late")
	}
	return []requester.Setting{{Name: "records/batch", Value: "1.50", Doc: "on average"}}
}

func (*measurer) Store() requester.Store { return requester.Store{} }

func (m *measurer) Audit(context.Context, func([]byte)) error {
	m.asked = append(m.asked, "audit")
	return requester.ErrKeepsNothing
}

// What the client measured is asked for once, after the last message, before the audit and
// before anything is torn down; and it is in the result.
func TestWhatTheClientMeasuredIsInTheResult(t *testing.T) {
	system, err := loopback.New(loopback.Config{Delay: ms})
	if err != nil {
		t.Fatal(err)
	}
	m := &measurer{Factory: system}
	cell := cellOf(100, 3*time.Second)
	cell.Settings.Audit = true
	synctest.Test(t, func(t *testing.T) {
		c, err := judged(t.Context(), m, cell, Options{NewWaiter: load.SleepWaiter})
		if err != nil {
			t.Fatal(err)
		}
		if want := []results.Setting{{Name: "records/batch", Value: "1.50"}}; !slices.Equal(c.Measured, want) {
			t.Errorf("measured %v, want %v", c.Measured, want)
		}
	})
	if want := []string{"measured", "audit"}; !slices.Equal(m.asked, want) {
		t.Errorf("asked for %v, want %v", m.asked, want)
	}
}

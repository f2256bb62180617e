package brokertest

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Store fills the store of a target until it holds so many bytes, and sends 500 messages of 4 KiB then. It wants
// consumers to get all of them, an audit to find them unless the target has discarded messages, and nothing left.
func Store(t *testing.T, f requester.Factory, until int64) *results.StoreFill {
	t.Helper()
	const due = 500
	meter, err := requester.Meter(f)
	if err != nil {
		t.Fatal(err)
	}
	cell := plan.Cell{
		Shape:    plan.Shape{Rate: 250, Arrivals: schedule.Constant, Size: 4 << 10, Connections: 2, UntilStore: until},
		Settings: plan.Settings{Duration: 2 * time.Second, Timeout: 20 * time.Second},
	}
	cfg := record.Config(cell, schedule.Part{})
	s, found := backlog.NewStore(f, meter, cell, cfg, backlog.Options{}), make(map[uint64]bool)
	out, err := load.Run(t.Context(), s, cfg, ignored{}, load.Hooks{
		Ready: s.Ready(nil),
		Settled: func(mine func([]byte) (int, uint64, bool)) {
			all := s.Result().Messages + due
			poll.Until(t, 15*time.Second, func() bool { // RabbitMQ's streams know what is committed a moment later
				state, err := meter.StoreState(t.Context())
				return err == nil && state.Messages+state.Discarded >= all
			}, "the store does not count %d messages", all)
			s.Settle(t.Context())
			err := meter.Audit(t.Context(), func(payload []byte) {
				if conn, seq, ok := mine(payload); ok {
					found[uint64(conn)<<32|seq] = true
				}
			})
			if err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Result()
	if out.Window.Done != due || len(found) != due || len(out.Left) > 0 || r.Undelivered > 0 || r.Before == nil || r.After == nil {
		t.Fatalf("ledger %+v, %d found, left %v, %+v", out.Window, len(found), out.Left, r)
	}
	if n := *r.After.Messages + *r.After.Discarded; n < r.Messages+due || *r.Before.Messages+*r.Before.Discarded > n {
		t.Errorf("%d messages, before %+v, after %+v", r.Messages, r.Before, r.After)
	}
	return r
}

// Filled wants a store to be filled to 32 MiB, and another one, which the option retention limits to 8 MiB, to
// discard its first messages instead. What a store holds may be wide of the bytes by a part, such as of headers or of blocks.
func Filled[F requester.Factory](t *testing.T, open Opener[F], url, options string) {
	t.Helper()
	const mib = 1 << 20
	r := Store(t, Opened(t, open, url, options), 32*mib)
	if r.End != results.FillBytes || *r.After.Discarded != 0 || r.LimitBytes != 0 {
		t.Errorf("%+v", r)
	}
	if bytes := r.Before.Bytes; bytes != nil && (*bytes < 32*mib || *bytes > 36*mib) {
		t.Errorf("%d B instead of 32 MiB", *bytes)
	}
	r = Store(t, Opened(t, open, url, options+"&retention=8MiB"), 512*mib)
	if r.End != results.FillDiscards || *r.Before.Discarded == 0 || r.LimitBytes != 8*mib || r.Bytes > 256*mib {
		t.Errorf("%+v, discarded %d", r, *r.Before.Discarded)
	}
}

// ignored is a [load.Recorder].
type ignored struct{}

// Record implements [load.Recorder].
func (ignored) Record(load.Op) {}

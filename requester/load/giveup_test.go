package load

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/ring"
)

// A tardy system answers every other message, so long after it was sent; after 0 none.
type tardy struct {
	after time.Duration
	sink  requester.Sink
	n     int
}

func (t *tardy) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &tardy{after: t.after, sink: sink}, nil
}
func (*tardy) Traits() requester.Traits       { return requester.Traits{} }
func (*tardy) Setup(context.Context) error    { return nil }
func (*tardy) Teardown(context.Context) error { return nil }

func (t *tardy) Request(_ context.Context, payload []byte) error {
	if t.n++; t.after > 0 && t.n%2 == 0 {
		reply := append([]byte(nil), payload...)
		time.AfterFunc(t.after, func() { t.sink.Reply(reply) })
	}
	return nil
}

type nowhere struct{}

func (nowhere) Record(Op) {}

// against runs a schedule against a tardy system in virtual time, without the probe.
func against(t *testing.T, after time.Duration, cfg Config, kept uint64) (o Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg.NewWaiter, cfg.Size = SleepWaiter, 64
		r := newRun(t.Context(), cfg.withDefaults(), nowhere{})
		if r.kept = kept; kept == 0 {
			r.kept = uint64(max(keptAtMost/cfg.Connections, 64))
		}
		if err := r.makeConns(&tardy{after: after}); err != nil {
			t.Fatal(err)
		}
		r.begin(time.Time{})
		interrupted := r.supervise(t.Context())
		r.finish()
		o = r.outcome(interrupted)
		time.Sleep(time.Hour) // for replies that come after the end
	})
	if err := o.check(); err != nil {
		t.Error(err)
	}
	return o
}

func TestADeadSystemTakesBoundedMemory(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, most := heap(), int64(0)
	cfg := Config{Connections: 1000, Timeout: time.Second, Schedule: schedule.Spec{Rate: 10_000, Duration: 120 * time.Second}}
	synctest.Test(t, func(t *testing.T) {
		cfg.NewWaiter, cfg.Size = SleepWaiter, 64
		r := newRun(t.Context(), cfg.withDefaults(), nowhere{})
		if err := r.makeConns(&tardy{}); err != nil {
			t.Fatal(err)
		}
		r.begin(time.Time{})
		time.AfterFunc(119*time.Second, func() { most = heap() - before })
		interrupted := r.supervise(t.Context())
		r.finish()
		if o := r.outcome(interrupted); o.Window.Lost != 1_200_000 || o.check() != nil {
			t.Errorf("%+v, %v", o.Window, o.check())
		}
	})
	if t.Logf("%d kB", most>>10); most > 16<<20 {
		t.Errorf("%d kB for 1.2 million messages without a reply, want 16 MiB at most", most>>10)
	}
}

// A message that is given up because too many wait is lost; its reply, if it comes, is late and no
// duplicate.
func TestLateAnswersAreNoDuplicates(t *testing.T) {
	cfg := Config{Connections: 2, Timeout: time.Second, Schedule: schedule.Spec{Rate: 1000, Duration: 20 * time.Second}}
	o := against(t, 5*time.Second, cfg, 64)
	if o.Strays.Late < 7000 || o.Strays.Duplicate != 0 || o.Window.Lost-o.Strays.Late < 9000 {
		t.Errorf("%+v, %+v", o.Window, o.Strays)
	}
	if all := o.Window.Done + o.Strays.Late; all < 7900 {
		t.Errorf("%d answers are accounted for, want those of the first 16 s at least", all)
	}
}

// Within twice the timeout no message is given up, however many there are.
func TestNothingIsGivenUpInTime(t *testing.T) {
	cfg := Config{Connections: 2, Timeout: 5 * time.Second, Schedule: schedule.Spec{Rate: 1000, Duration: 20 * time.Second}}
	if o := against(t, 5*time.Second-time.Millisecond, cfg, 64); o.Window.Done != 10_000 || o.Window.Lost != 10_000 || o.Strays != (Strays{}) {
		t.Errorf("%+v, %+v", o.Window, o.Strays)
	}
}

// After a long stall many ops are too old at once: no message that is due then pays for all of them.
func TestFewAreGivenUpAtOnce(t *testing.T) {
	cfg := Config{Connections: 1, Timeout: time.Second, Size: 64, Schedule: schedule.Spec{Rate: 1000, Duration: time.Minute}}
	r := newRun(t.Context(), cfg.withDefaults(), nowhere{})
	r.kept = 64
	if err := r.makeConns(&tardy{}); err != nil {
		t.Fatal(err)
	}
	c := r.conns[0]
	for range 10_000 {
		c.ring.Push(ring.Entry{State: ring.Pending})
		c.inFlight++
	}
	for sent := range 5_000 {
		c.ring.Push(ring.Entry{Sent: time.Hour, State: ring.Pending})
		c.inFlight++
		before := c.ring.Len()
		if c.giveUp(time.Hour); before-c.ring.Len() != 2 {
			t.Fatalf("%d ops are given up at message %d, want 2", before-c.ring.Len(), sent)
		}
	}
	if n := c.window.Lost; n != 10_000 {
		t.Errorf("%d ops are given up in all", n)
	}
}

// Late answers are counted beside the lost messages of the window: those of the warm-up are neither.
func TestLateAnswersAreThoseOfTheWindow(t *testing.T) {
	cfg := Config{Connections: 1, Timeout: time.Second, Warmup: 10 * time.Second, Schedule: schedule.Spec{Rate: 1000, Duration: 20 * time.Second}}
	if o := against(t, 5*time.Second, cfg, 64); o.Strays.Late > 3100 || o.Strays.Late < 2900 || o.Strays.Duplicate != 0 {
		t.Errorf("%+v, %+v", o.Window, o.Strays)
	}
}

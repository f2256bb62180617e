package load_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// bySize answers in an instant, and a message above 1 KiB after a second. It fails the large
// messages of one connection, and never answers those of another.
type bySize struct {
	mu   sync.Mutex
	late sync.WaitGroup         // replies on their way
	seen map[uint32]map[int]int // messages by connection of the whole and size, without the probe
}

func (f *bySize) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return &sized{bySize: f, conn: conn, sink: sink}, nil
}

type sized struct {
	*bySize

	conn int
	sink requester.Sink
}

var errLarge = errors.New("too large")

func (s *sized) Traits() requester.Traits       { return requester.Traits{Acknowledges: true} }
func (s *sized) Setup(context.Context) error    { return nil }
func (s *sized) Teardown(context.Context) error { s.late.Wait(); return nil }
func (s *sized) Request(_ context.Context, p []byte) error {
	large, p := len(p) > 1024, slices.Clone(p)
	stamp, _ := requester.ReadStamp(p)
	if stamp.Seq == requester.ProbeSeq {
		go s.sink.Reply(p)
		return nil
	}
	s.mu.Lock()
	if s.seen[stamp.Conn] == nil {
		s.seen[stamp.Conn] = make(map[int]int)
	}
	s.seen[stamp.Conn][len(p)]++
	s.mu.Unlock()
	switch {
	case large && s.conn == 1:
		return errLarge
	case large && s.conn == 2:
		return nil
	}
	s.late.Go(func() {
		if large {
			time.Sleep(time.Second)
		}
		s.sink.Acked(p)
		s.sink.Reply(p)
	})
	return nil
}

const ninety = schedule.Sizes("256B:90%,65536B:10%")

// Every size has its own ledger, which counts exactly the messages that the seed draws.
func TestEachSizeHasItsLedger(t *testing.T) {
	f := &bySize{seen: make(map[uint32]map[int]int)}
	cfg := load.Config{
		Schedule: schedule.Spec{Rate: 3000, Duration: 3 * time.Second, Seed: 5}, Warmup: time.Second, Timeout: 5 * time.Second,
		Size: 65536, Sizes: ninety, Connections: 3,
	}
	out, k := virtual(t, f, cfg)
	mix, want := ninety.Mix(5), make([]load.Ledger, 2)
	for conn := range uint32(3) { // 1,000/s on each, of which the first 1,000 are the warm-up
		window, all := mix.Count(conn, 1000, 3000), mix.Count(conn, 0, 3000)
		for class, n := range window {
			want[class].Due += n
			switch {
			case class == 1 && conn == 1:
				want[class].Failed += n
			case class == 1 && conn == 2:
				want[class].Lost += n
			default:
				want[class].Done += n
			}
		}
		if got := f.seen[conn]; got[256] != int(all[0]) || got[65536] != int(all[1]) {
			t.Errorf("connection %d sent %v, want %v", conn, got, all)
		}
	}
	if !slices.Equal(out.Sizes, want) || out.Window.Due != want[0].Due+want[1].Due || out.Window.Due != 6000 {
		t.Errorf("ledgers %+v of %+v, want %+v", out.Sizes, out.Window, want)
	}
	for _, op := range k.ops.all {
		if slow := op.Response() >= time.Second; slow != (op.Class == 1) {
			t.Fatalf("an op of class %d took %v", op.Class, op.Response())
		}
	}
}

// Several agents draw the sizes that one process draws.
func TestAgentsDrawTheSameSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := load.Config{
			Schedule: schedule.Spec{Rate: 997, Duration: 3 * time.Second, Seed: 3, Arrivals: schedule.Poisson},
			Warmup:   time.Second, Size: 65536, Sizes: ninety, Connections: 7, NewWaiter: load.SleepWaiter,
		}
		one, three := runParts(t, cfg, 1), runParts(t, cfg, 3)
		if !slices.Equal(one.sizes, three.sizes) || len(one.sizes) != 2 || one.sizes[1].Due == 0 {
			t.Errorf("three agents: %+v, one: %+v", three.sizes, one.sizes)
		}
	})
}

// What was never sent has its size, too.
func TestUnsentMessagesHaveTheirSize(t *testing.T) {
	f := &bySize{seen: make(map[uint32]map[int]int)}
	cfg := load.Config{
		Schedule: schedule.Spec{Rate: 1000, Duration: 2 * time.Second, Seed: 1}, Timeout: 500 * time.Millisecond,
		Size: 65536, Sizes: ninety, InFlight: 1,
	}
	out, _ := virtual(t, f, cfg)
	if out.Sizes[0].Unsent == 0 || out.Sizes[1].Unsent == 0 || out.Sizes[0].Unsent+out.Sizes[1].Unsent != out.Window.Unsent {
		t.Errorf("%+v of %+v", out.Sizes, out.Window)
	}
}

func TestSizesThatTheEngineRefuses(t *testing.T) {
	good := load.Config{Schedule: schedule.Spec{Rate: 1, Duration: time.Second}, Size: 65536, Sizes: ninety}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		size  int
		sizes schedule.Sizes
	}{{1024, ninety}, {65536, "8B:90%,65536B:10%"}, {65536, "256B:90%,65536B:11%"}} {
		bad := good
		bad.Size, bad.Sizes = c.size, c.sizes
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
	}
}

package loopback_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
)

func stamped(conn uint32, seq uint64) []byte {
	payload := make([]byte, requester.StampSize)
	requester.Stamp{Conn: conn, Seq: seq}.Put(payload)
	return payload
}

func TestJournal(t *testing.T) {
	j := loopback.NewJournal(2, 5)
	at := func(ms time.Duration) time.Time { return j.Epoch().Add(ms * time.Millisecond) }
	j.Came(stamped(1, 1), at(3)) // message 3 of the schedule
	j.Left(stamped(1, 1), at(7))
	j.Came(stamped(1, 1), at(9)) // once more
	for _, strange := range [][]byte{stamped(2, 0), stamped(1, 2), stamped(0, 1<<63), {1, 2, 3}} {
		j.Came(strange, at(1))
	}
	j.Came(stamped(0, requester.ProbeSeq), at(1))
	n := j.Notes()
	if n.Came[3] != 3*time.Millisecond || n.Left[3] != 7*time.Millisecond || n.Came[2] != 0 || n.Again != 1 || n.Unknown != 4 {
		t.Errorf("%+v", n)
	}
	if n := n.Since(2 * time.Millisecond); n.Came[3] != time.Millisecond || n.Left[3] != 5*time.Millisecond || n.Came[2] != 0 {
		t.Errorf("later: %+v", n)
	}
	var none *loopback.Journal
	none.Came(stamped(0, 0), time.Now())
	none.Left(stamped(0, 0), time.Now())
}

// The system in memory notes what it does, to the nanosecond of virtual time.
func TestTheSystemKeepsAJournal(t *testing.T) {
	const ms = time.Millisecond
	for _, cfg := range []loopback.Config{{}, {Delay: 10 * ms}, {Delay: 10 * ms, Freezes: []loopback.Freeze{{At: 5 * ms, For: 50 * ms}}}, {Drop: 1}} {
		synctest.Test(t, func(t *testing.T) {
			f, err := loopback.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			j := loopback.NewJournal(1, 1)
			f.Keep(j)
			c, _ := f.New(0, requester.Replies(func([]byte) {}))
			if err := c.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(ms)
			if err := c.Request(t.Context(), stamped(0, 0)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if err := c.Teardown(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := ms + cfg.ReplyAt(0)
			if cfg.Drop == 1 {
				want = 0
			}
			if n := j.Notes(); n.Came[0] != ms || n.Left[0] != want {
				t.Errorf("%+v: came %v, left %v, want %v and %v", cfg, n.Came[0], n.Left[0], ms, want)
			}
		})
	}
}

func TestAPulseOfAProcessThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := loopback.Beat()
		time.Sleep(time.Second)
		if got := p.Still(); got != 0 {
			t.Errorf("still for %v in virtual time", got)
		}
		p.Stop()
	})
}

func TestWallOf(t *testing.T) {
	now := time.Now()
	if got := time.Duration(loopback.WallOf(now) - now.UnixNano()); got < -time.Millisecond || got > time.Millisecond {
		t.Errorf("the wall clock of now is %v off", got)
	}
}

func TestNotingAllocatesNothing(t *testing.T) {
	j, payload := loopback.NewJournal(1, 1000), stamped(0, 7)
	if got := testing.AllocsPerRun(100, func() { j.Came(payload, time.Now()) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkJournal(b *testing.B) {
	j, payload := loopback.NewJournal(1, 1<<20), make([]byte, 256)
	b.ReportAllocs()
	for n := range uint64(b.N) {
		requester.Stamp{Seq: n % (1 << 20)}.Put(payload)
		now := time.Now()
		j.Came(payload, now)
		j.Left(payload, now)
	}
}

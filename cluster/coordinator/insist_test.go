package coordinator

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/cluster/wire"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// A server is a bucket and a stream that are away until some time, or always.
type server struct {
	jetstream.Stream

	back    time.Time
	took    error // why a write is refused then
	writes  int
	written []byte
	mute    int // so many writes are stored, and their answers lost
	blind   int // so many reads fail
}

// An entry is what was written.
type entry struct {
	jetstream.KeyValueEntry

	s *server
}

func (e entry) Value() []byte    { return e.s.written }
func (e entry) Revision() uint64 { return uint64(e.s.writes) }

var errAway = errors.New("nats: connection closed")

func (s *server) away() error {
	if time.Now().Before(s.back) {
		return errAway
	}
	return nil
}

func (s *server) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	switch {
	case s.blind > 0:
		s.blind--
		return nil, errAway
	case s.writes == 0:
		return nil, jetstream.ErrKeyNotFound
	}
	return entry{s: s}, nil
}

func (s *server) Create(_ context.Context, _ string, text []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
	return s.Update(context.Background(), "", text, 0)
}

func (s *server) Update(_ context.Context, _ string, text []byte, revision uint64) (uint64, error) {
	if err := s.away(); err != nil {
		return 0, err
	}
	if s.took != nil {
		return 0, s.took
	}
	if revision != uint64(s.writes) {
		return 0, jetstream.ErrKeyExists
	}
	s.writes, s.written = s.writes+1, text
	if s.mute > 0 {
		s.mute--
		return 0, errAway
	}
	return uint64(s.writes), nil
}

func (s *server) GetLastMsgForSubject(context.Context, string) (*jetstream.RawStreamMsg, error) {
	if err := s.away(); err != nil {
		return nil, err
	}
	if s.took != nil {
		return nil, s.took
	}
	return &jetstream.RawStreamMsg{Data: []byte("part")}, nil
}

// with returns a coordinator with a server that is away for so long.
func with(away time.Duration, took error) (*Coordinator, *server, *[]string) {
	var said []string
	s := &server{back: time.Now().Add(away), took: took}
	c := &Coordinator{cfg: Config{Say: func(text string) { said = append(said, text) }}.withDefaults(), stream: s}
	c.keeper = &keeper{bucket: s, patience: c.patience()}
	return c, s, &said
}

// A control server that is away for less than agents forgive costs no cell.
func TestAControlServerThatIsAwayForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s, said := with(8*time.Second, nil)
		if err := c.confirm(plan.Cell{}); err != nil || s.writes != 1 || *said != nil {
			t.Errorf("%v, written %d times, %q", err, s.writes, *said)
		}
		s.back = time.Now().Add(8 * time.Second)
		_, parcel := wire.Chunks([]byte("part"))
		if packed, err := c.fetch(t.Context(), "a1", "0", parcel); err != nil || string(packed) != "part" {
			t.Errorf("%q, %v", packed, err)
		}
	})
}

// One that stays away is an error, but not for a cell that is measured: its numbers are kept.
func TestAControlServerThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, said := with(time.Hour, nil)
		began := time.Now()
		if err := c.keeper.save(t.Context()); !errors.Is(err, errAway) || time.Since(began) < c.patience() || time.Since(began) > 2*c.patience() {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := c.confirm(plan.Cell{}); err != nil || len(*said) != 1 {
			t.Errorf("%v, %q", err, *said)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		if err := c.keeper.save(ctx); err == nil || time.Since(began) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A write whose answer is lost is this coordinator's own, also if it cannot look at once.
func TestAnAnswerThatIsLostIsNoOtherCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, blind := range []int{0, 1, 3} {
			c, s, said := with(0, nil)
			s.mute, s.blind = 1, blind
			if err := c.keeper.save(t.Context()); err != nil || s.writes != 2 || *said != nil {
				t.Errorf("blind %d: %v, written %d times, %q", blind, err, s.writes, *said)
			}
			s.writes, s.written = s.writes+1, []byte("another's")
			if err := c.keeper.save(t.Context()); !errors.Is(err, measure.ErrTaken) {
				t.Errorf("%v", err)
			}
		}
	})
}

// What another try does not change is said at once.
func TestAConflictIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := with(0, jetstream.ErrKeyExists)
		began := time.Now()
		if err := c.confirm(plan.Cell{}); !errors.Is(err, measure.ErrTaken) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		c, _, _ = with(0, jetstream.ErrMsgNotFound)
		if _, err := c.fetch(t.Context(), "a1", "0", wire.Parcel{Chunks: 1}); !errors.Is(err, jetstream.ErrMsgNotFound) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

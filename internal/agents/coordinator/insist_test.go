package coordinator

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A server is a stream that is away until some time, or always.
type server struct {
	jetstream.Stream

	back  time.Time
	fails error // the answer to each read
}

var errAway = errors.New("nats: connection closed")

func (s *server) away() error {
	if time.Now().Before(s.back) {
		return errAway
	}
	return nil
}

func (s *server) GetLastMsgForSubject(context.Context, string) (*jetstream.RawStreamMsg, error) {
	if err := s.away(); err != nil {
		return nil, err
	}
	if s.fails != nil {
		return nil, s.fails
	}
	return &jetstream.RawStreamMsg{Data: []byte("part")}, nil
}

// with returns a coordinator with a server that is away for so long.
func with(away time.Duration, fails error) *Coordinator {
	return &Coordinator{cfg: Config{}.withDefaults(), stream: &server{back: time.Now().Add(away), fails: fails}}
}

// A control server that is away for less than the lease costs no cell.
func TestAControlServerThatIsAwayForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, parcel := wire.Chunks([]byte("part"))
		if packed, err := with(8*time.Second, nil).fetch(t.Context(), "a1", "0", parcel); err != nil || string(packed) != "part" {
			t.Errorf("%q, %v", packed, err)
		}
	})
}

func TestAControlServerThatStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := with(time.Hour, nil)
		for limit, want := range map[time.Duration]time.Duration{time.Hour: c.patience(), time.Second: time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			began := time.Now()
			_, err := c.fetch(ctx, "a1", "0", wire.Parcel{Chunks: 1})
			cancel()
			if took := time.Since(began); !errors.Is(err, errAway) || took < want-insistEvery || took > want+insistEvery {
				t.Errorf("%v after %v, want %v", err, took, want)
			}
		}
	})
}

// A part that is not in the stream is not asked for again.
func TestAPartThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := with(0, jetstream.ErrMsgNotFound).fetch(t.Context(), "a1", "0", wire.Parcel{Chunks: 1})
		if !errors.Is(err, jetstream.ErrMsgNotFound) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

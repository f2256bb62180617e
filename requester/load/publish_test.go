package load_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A writer is a system whose Request writes to a socket, which takes a time for each message
// or refuses it. The reply comes a time after Request was called.
type writer struct {
	takes    func(seq uint64) (time.Duration, error)
	answers  time.Duration
	buffered bool // on connection 1: its Request does not write
}

type writing struct {
	of    writer
	conn  int
	reply func([]byte)
}

func (w writer) New(conn int, sink requester.Sink) (requester.Requester, error) {
	return &writing{w, conn, sink.Reply}, nil
}

func (*writing) Setup(context.Context) error    { return nil }
func (*writing) Teardown(context.Context) error { return nil }

func (w *writing) Traits() requester.Traits {
	return requester.Traits{WritesToSocket: !w.of.buffered || w.conn != 1}
}

func (w *writing) Request(ctx context.Context, payload []byte) error {
	payload = append([]byte(nil), payload...)
	stamp, _ := requester.ReadStamp(payload)
	if stamp.Seq == requester.ProbeSeq {
		w.reply(payload)
		return nil
	}
	took, err := w.of.takes(stamp.Seq)
	if err != nil {
		return err
	}
	time.AfterFunc(w.of.answers, func() { w.reply(payload) })
	select {
	case <-time.After(took):
		return nil
	case <-ctx.Done():
		return nil // at the end of the run the kernel had room
	}
}

// publishKeeper keeps when messages were on the socket, too.
type publishKeeper struct {
	keeper
	publishes list[load.Publish]
}

func (k *publishKeeper) RecordPublish(p load.Publish) { k.publishes.add(p) }

func published(t *testing.T, w writer, cfg load.Config) (load.Outcome, []load.Publish) {
	t.Helper()
	k := &publishKeeper{}
	out := virtually(t, w, cfg, k)
	return out, k.publishes.all
}

// A message is published when its Request returns: from due on, with what it was held up by
// the calls before. The warm-up is said to be one.
func TestPublishedIsWhenRequestReturns(t *testing.T) {
	w := writer{answers: ms, takes: func(seq uint64) (time.Duration, error) {
		if seq == 500 {
			return 25 * ms, nil // the two that are due meanwhile are held up
		}
		return 50 * µs, nil
	}}
	out, publishes := published(t, w, load.Config{Schedule: constant(100, 10*time.Second), Warmup: time.Second})
	wantLedger(t, out.Window, load.Ledger{Due: 900, Done: 900})
	if len(publishes) != 1000 {
		t.Fatalf("%d are published", len(publishes))
	}
	for i, p := range publishes {
		want := 50 * µs
		switch i {
		case 500:
			want = 25 * ms
		case 501:
			want = 15*ms + 50*µs
		case 502:
			want = 5*ms + 100*µs
		}
		if p.Wait() != want || p.Warmup != (i < 100) || p.Due != time.Duration(i)*10*ms {
			t.Fatalf("message %d: %+v waited %v, want %v", i, p, p.Wait(), want)
		}
	}
}

// A message that was refused was not published, and neither was one of which nobody tells.
func TestWhatIsNotPublished(t *testing.T) {
	fails := writer{answers: ms, takes: func(seq uint64) (time.Duration, error) {
		if seq%4 == 3 {
			return 0, errors.New("no")
		}
		return 0, nil
	}}
	out, publishes := published(t, fails, load.Config{Schedule: constant(100, time.Second)})
	wantLedger(t, out.Window, load.Ledger{Due: 100, Done: 75, Failed: 25})
	if len(publishes) != 75 {
		t.Errorf("%d of 75 are published", len(publishes))
	}
	some := writer{buffered: true, takes: func(uint64) (time.Duration, error) { return 0, nil }}
	if _, publishes := published(t, some, load.Config{Schedule: constant(100, time.Second), Connections: 2}); len(publishes) != 0 {
		t.Errorf("%d are published, although one connection does not tell", len(publishes))
	}
	k := &publishKeeper{}
	virtually(t, sleeper(ms), load.Config{Schedule: constant(100, time.Second)}, k)
	if len(k.ops.all) != 100 || len(k.publishes.all) != 0 {
		t.Errorf("%d are published by who does not tell", len(k.publishes.all))
	}
}

// What is answered before its Request returns is published all the same; what is not on the
// socket until the end of the run is not.
func TestPublishedAtTheEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		takes time.Duration
		want  int
	}{"late": {700 * ms, 10}, "not until the end": {time.Hour, 9}} {
		w := writer{answers: ms, takes: func(seq uint64) (time.Duration, error) {
			if seq == 9 {
				return tt.takes, nil
			}
			return 0, nil
		}}
		out, publishes := published(t, w, load.Config{Schedule: constant(10, time.Second), Timeout: time.Second})
		if out.Window.Done != 10 || len(publishes) != tt.want {
			t.Errorf("%s: %d done, %d published, want %d", name, out.Window.Done, len(publishes), tt.want)
		}
	}
}

// Queued messages are published when a slot was free and they were on the socket.
func TestQueuedMessagesArePublished(t *testing.T) {
	w := writer{answers: 25 * ms, takes: func(uint64) (time.Duration, error) { return ms, nil }}
	_, publishes := published(t, w, load.Config{Schedule: constant(100, time.Second), InFlight: 1, Timeout: 10 * time.Second})
	if len(publishes) != 100 {
		t.Fatalf("%d are published", len(publishes))
	}
	if last := publishes[99]; last.Wait() != 99*15*ms+ms {
		t.Errorf("the last waited %v", last.Wait())
	}
}

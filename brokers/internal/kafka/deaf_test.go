package kafka

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// behind returns a factory for the running broker, and the relay that all of its
// connections go through.
func behind(t *testing.T, options string) (*Factory, *relay.Relay) {
	t.Helper()
	u, err := url.Parse(brokertest.URL(t, "KAFKA"))
	if err != nil {
		t.Fatal(err)
	}
	p := linetest.Relay(t, relay.Options{Backend: u.Host})
	p.Pass(advertising(p, u.Host))
	f := open(t, "kafka://"+p.Addr(), options)
	t.Cleanup(func() {
		if err := sweep(u.String(), f.Run); err != nil {
			t.Error(err)
		}
		late.Lock()
		defer late.Unlock()
		late.url, late.runs = u.String(), append(late.runs, f.Run)
	})
	return f, p
}

// advertising replaces the broker's address in its answers by that of the relay, as Kafka writes it:
// the host, and the port as 4 bytes. Both must be on one host.
func advertising(p *relay.Relay, backend string) relay.Through {
	written := func(addr string) []byte {
		host, port, _ := net.SplitHostPort(addr)
		n, _ := strconv.ParseUint(port, 10, 32)
		return binary.BigEndian.AppendUint32([]byte(host), uint32(n))
	}
	return func(piece relay.Piece) []byte {
		if piece.Up {
			return piece.Bytes
		}
		return bytes.ReplaceAll(piece.Bytes, written(backend), written(p.Addr()))
	}
}

// late are runs behind relays. The broker may create a topic after the relay has cut the connection that asked for
// it, and after the sweep: so TestMain sweeps again.
var late struct {
	sync.Mutex
	url  string
	runs []string
}

// sweep removes the topics that runs behind a relay could not remove.
func sweep(url string, runs ...string) error {
	if len(runs) == 0 {
		return nil
	}
	f, err := Open(url, runs[0])
	if err != nil {
		return err
	}
	return f.admin(context.Background(), func(ctx context.Context, admin *kadm.Client) error {
		all, err := admin.ListTopics(ctx)
		names := slices.DeleteFunc(all.Names(), func(name string) bool {
			return !slices.ContainsFunc(runs, func(run string) bool { return strings.HasPrefix(name, "brokerbench."+run+".") })
		})
		return cmp.Or(err, cluster.DeleteTopics(ctx, admin, names...))
	})
}

// nothing is a load.Recorder that forgets.
type nothing struct{}

func (nothing) Record(load.Op) {}

// runs runs the engine for a second at 200/s, and returns how long it took.
func runs(ctx context.Context, t *testing.T, f requester.Factory, connections int, hooks load.Hooks) (load.Outcome, time.Duration, error) {
	t.Helper()
	begin := time.Now()
	outcome, err := load.Run(ctx, f, load.Config{
		Schedule: schedule.Spec{Rate: 200, Duration: 2 * time.Second}, Timeout: time.Second,
		Size: 256, Connections: connections,
	}, nothing{}, hooks)
	return outcome, time.Since(begin), err
}

// A broker that accepts and then says nothing does not hold up the end of a run, nor
// Ctrl-C, and what is left is known.
func TestABrokerThatFallsSilentEndsNoLater(t *testing.T) {
	const silent = time.Second
	for _, tc := range []struct {
		name             string
		connections      int
		interrupt, twice time.Duration // from the start of the schedule; 0: not
		within           time.Duration // of the start, or of the second Ctrl-C
	}{
		{"1 connection", 1, 0, 0, 12 * time.Second}, // the window and the timeout take 3 s, and a teardown may take 20 s
		{"40 connections", 40, 0, 0, 12 * time.Second},
		{"Ctrl-C", 40, 1200 * time.Millisecond, 0, 12 * time.Second},
		{"Ctrl-C twice", 40, 1200 * time.Millisecond, 1500 * time.Millisecond, 6 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f, p := behind(t, "")
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			giveUp, gaveUp := make(chan struct{}), make(chan time.Time, 1)
			var from time.Time
			o, _, err := runs(ctx, t, f, tc.connections, load.Hooks{GiveUp: giveUp, Started: func(start time.Time) {
				from = start
				time.AfterFunc(silent, func() { p.Pass(relay.Swallow); p.Cut(false) })
				if tc.interrupt > 0 {
					time.AfterFunc(tc.interrupt, interrupt)
				}
				if tc.twice > 0 {
					time.AfterFunc(tc.twice, func() { gaveUp <- time.Now(); close(giveUp) })
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if tc.twice > 0 {
				from = <-gaveUp
			}
			took := time.Since(from)
			t.Logf("%v, ledger %+v, %d left", took, o.Window, len(o.Left))
			if took > tc.within {
				t.Errorf("ended after %v, want %v", took, tc.within)
			}
			// The client's own end takes some seconds here. Who gives up does not wait for it.
			if waited := !strings.Contains(fmt.Sprint(o.Events), "connections have not returned"); waited != (tc.twice == 0) {
				t.Errorf("waited for every connection's end: %v, %v", waited, o.Events)
			}
			if o.Window.Done == 0 || o.Window.Missing() == 0 || o.Interrupted != (tc.interrupt > 0) {
				t.Errorf("interrupted %v, %+v", o.Interrupted, o.Window)
			}
			if len(o.Left) != tc.connections || o.Left[0] != "topic "+f.topic(0) {
				t.Errorf("left: %v", o.Left)
			}
		})
	}
}

// A broker that is gone from any connection of the set-up on is one line, soon.
func TestABrokerThatGoesDuringTheSetupIsOneLine(t *testing.T) {
	faults := map[string]func(p *relay.Relay, nth int){
		"silent": func(p *relay.Relay, nth int) {
			advertised := advertising(p, brokertest.HostOf(t, brokertest.URL(t, "KAFKA")))
			p.Pass(func(piece relay.Piece) []byte {
				if piece.Connection >= nth {
					return nil
				}
				return advertised(piece)
			})
		},
		"closing": func(p *relay.Relay, _ int) { p.Refuse(true) },
		"gone":    func(p *relay.Relay, _ int) { p.Refuse(true); p.Cut(false) },
		"frozen":  func(p *relay.Relay, _ int) { p.Set(relay.State{Deaf: true, Mute: true}) },
	}
	for name, fault := range faults {
		for nth := 1; nth <= 8; nth++ {
			connections := 1
			if nth%2 == 1 || nth > 6 { // one makes six or seven
				connections = 3
			}
			t.Run(fmt.Sprintf("%s from %d of %d", name, nth, connections), func(t *testing.T) {
				t.Parallel()
				f, p := behind(t, "")
				p.OnConnect(func(number int) {
					if number == nth {
						fault(p, nth)
					}
				})
				_, took, err := runs(t.Context(), t, f, connections, load.Hooks{})
				t.Logf("%v: %v", took, err)
				if err == nil && p.Accepted() < nth {
					t.Skipf("%d connections are all", p.Accepted())
				}
				if err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("want one line: %v", err)
				}
				if took > 25*time.Second {
					t.Errorf("%v", took)
				}
			})
		}
	}
}

// A broker that takes its time with each new connection is not away: what was created on it is deleted.
func TestASlowBrokerKeepsNoTopic(t *testing.T) {
	f, p := behind(t, "")
	advertised := advertising(p, brokertest.HostOf(t, brokertest.URL(t, "KAFKA")))
	slow := func(piece relay.Piece) []byte {
		if !piece.Up && piece.Before == 0 {
			time.Sleep(2100 * time.Millisecond)
		}
		return advertised(piece)
	}
	if _, _, err := runs(t.Context(), t, f, 3, load.Hooks{Ended: func(time.Duration) { p.Pass(slow) }}); err != nil {
		t.Fatal(err)
	}
	p.Pass(advertised)
	if left := topics(t, f); len(left) > 0 || len(f.Left()) > 0 {
		t.Errorf("left behind: %v; it says %v", left, f.Left())
	}
}

// A broker that says too late that a topic was created is asked again, and then says that it exists. It is ours: it is
// used and deleted.
func TestATopicWhoseCreationIsAnsweredLateIsOurs(t *testing.T) {
	t.Parallel() // the answer is waited for for seconds
	f, p := behind(t, "partitions=2")
	advertised := advertising(p, brokertest.HostOf(t, brokertest.URL(t, "KAFKA")))
	var first, requests atomic.Int64 // the connection of the first request
	p.Pass(func(piece relay.Piece) []byte {
		switch {
		case piece.Up && len(piece.Bytes) > 6 && binary.BigEndian.Uint16(piece.Bytes[4:]) == uint16(kmsg.CreateTopics):
			requests.Add(1)
			first.CompareAndSwap(0, int64(piece.Connection))
		case !piece.Up && first.Load() == int64(piece.Connection):
			time.Sleep(cluster.Limit)
		}
		return advertised(piece)
	})
	l := requestertest.Connect(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 1, 16))
	if len(f.Left()) != 1 {
		t.Errorf("it would leave %v", f.Left())
	}
	l.End(t)
	if left := topics(t, f); len(left) > 0 || len(f.Left()) > 0 || requests.Load() != 2 {
		t.Errorf("%d requests, left behind: %v; it says %v", requests.Load(), left, f.Left())
	}
}

// brittle is a factory of which one connection cannot be set up, once the others are
// on their way.
type brittle struct {
	*Factory
	bad  int
	wait time.Duration
}

func (b brittle) New(number int, sink requester.Sink) (requester.Requester, error) {
	r, err := b.Factory.New(number, sink)
	if number == b.bad {
		r = refused{r, b.wait}
	}
	return r, err
}

type refused struct {
	requester.Requester
	wait time.Duration
}

func (r refused) Setup(context.Context) error {
	time.Sleep(r.wait)
	return errors.New("kafka: refused")
}

// A set-up that fails on the way leaves no topic of any connection.
func TestASetupThatFailsLeavesNoTopic(t *testing.T) {
	url := brokertest.URL(t, "KAFKA")
	var factories []*Factory
	for i := range 10 {
		f := open(t, url, "")
		_, _, err := runs(t.Context(), t, brittle{f, 12, time.Duration(i*i) * 3 * time.Millisecond}, 40, load.Hooks{})
		brokertest.WantError(t, err, "connection 12", "refused")
		factories = append(factories, f)
	}
	time.Sleep(time.Second) // a topic may be made after it was deleted
	for i, f := range factories {
		if left := topics(t, f); len(left) > 0 {
			t.Errorf("left behind by the set-up that was refused %d ms late: %v; it says %v is left (%v)", i*i*3, left, f.Left(), sweep(url, f.Run))
		}
	}
}

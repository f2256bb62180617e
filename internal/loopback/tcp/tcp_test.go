package tcp_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/loopback/tcp"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// start serves cfg until the test ends.
func start(tb testing.TB, cfg loopback.Config) *tcp.Server {
	tb.Helper()
	s, err := tcp.Listen("127.0.0.1:0", cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve() }()
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	for name, cfg := range map[string]loopback.Config{"echo": {}, "delay": {Delay: 2 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) { requestertest.Run(t, tcp.Factory{Addr: start(t, cfg).Addr()}) })
	}
}

// exchange sends n requests of ten bytes apart in time and returns, by sequence,
// when each reply came after the first request.
func exchange(t *testing.T, cfg loopback.Config, n int, gap time.Duration) map[uint64]time.Duration {
	t.Helper()
	type came struct {
		seq uint64
		at  time.Time
	}
	replies := make(chan came, n)
	c, err := tcp.Factory{Addr: start(t, cfg).Addr()}.New(0, requester.Replies(func(payload []byte) {
		s, _ := requester.ReadStamp(payload)
		replies <- came{s.Seq, time.Now()}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, requester.StampSize)
	begin := time.Now()
	for seq := range n {
		time.Sleep(time.Until(begin.Add(time.Duration(seq) * gap)))
		requester.Stamp{Run: 1, Seq: uint64(seq)}.Put(payload)
		if err := c.Request(t.Context(), payload); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond) // longer than any delay below: what has not come, does not
	if err := c.Teardown(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(replies)
	times := make(map[uint64]time.Duration)
	for r := range replies {
		times[r.seq] = r.at.Sub(begin)
	}
	return times
}

// No reply comes before its moment; how much after is the machine's affair. One
// that keeps a process from running for 10 ms moves a request into another phase:
// so there are five attempts, which a wrong moment would all spoil.
func TestRepliesComeWhenTheyAreDue(t *testing.T) {
	var problem string
	for range 5 {
		if problem = early(t); problem == "" {
			return
		}
		t.Log(problem)
	}
	t.Error(problem)
}

// early makes requests that are 10 ms away from where phases begin and end, and
// says which reply came too early.
func early(t *testing.T) string {
	t.Helper()
	const ms = time.Millisecond
	cfg := loopback.Config{
		Delay: 10 * ms, Slow: []loopback.Phase{{At: 30 * ms, For: 40 * ms, Delay: 100 * ms}},
		Freezes: []loopback.Freeze{{At: 110 * ms, For: 80 * ms}},
	}
	times := exchange(t, cfg, 8, 20*ms)
	if len(times) != 8 {
		t.Fatalf("%d replies, want 8", len(times))
	}
	for seq, got := range times {
		if want := cfg.ReplyAt(time.Duration(seq) * 20 * ms); got < want {
			return fmt.Sprintf("reply %d came at %v, due at %v", seq, got, want)
		}
	}
	if times[4] > times[3] { // 4 came after the slow phase, and overtook
		return fmt.Sprintf("reply 4 at %v, reply 3 of the slow phase at %v", times[4], times[3])
	}
	return ""
}

func TestDropsThePartThatWasAskedFor(t *testing.T) {
	cfg := loopback.Config{Delay: time.Millisecond, Drop: 0.25}
	times := exchange(t, cfg, 8, time.Millisecond)
	for seq := range uint64(8) {
		dropped := math.Floor(float64(seq+1)/4) > math.Floor(float64(seq)/4)
		if _, came := times[seq]; came == dropped {
			t.Errorf("reply %d: came %v, want %v", seq, came, !dropped)
		}
	}
}

func TestListenRefuses(t *testing.T) {
	for _, cfg := range []loopback.Config{{Delay: -1}, {Corrupt: 0.5}, {Duplicate: 0.5}} {
		if _, err := tcp.Listen("127.0.0.1:0", cfg); err == nil {
			t.Errorf("Listen takes %+v", cfg)
		}
	}
	s := start(t, loopback.Config{})
	if _, err := tcp.Listen(s.Addr(), loopback.Config{}); err == nil {
		t.Error("Listen takes a port that is taken")
	}
}

func TestAForeignProtocolEndsTheConnection(t *testing.T) {
	s := start(t, loopback.Config{Delay: time.Millisecond})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("\xffGET / HTTP/1.1\r\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes came back", n)
	}
}

func TestRequestAllocatesNothing(t *testing.T) {
	c, err := tcp.Factory{Addr: start(t, loopback.Config{}).Addr()}.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Teardown(t.Context()) }()
	payload := make([]byte, 256)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if got := testing.AllocsPerRun(100, func() {
		if err := c.Request(ctx, payload); err != nil {
			t.Error(err)
		}
	}); got >= 1 {
		t.Errorf("%v allocations in a request, want 0", got)
	}
}

func ExampleListen() {
	s, err := tcp.Listen("127.0.0.1:0", loopback.Config{}) // an echo
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() { _ = s.Serve() }()
	defer func() { _ = s.Close() }()
	answered := make(chan string, 1)
	c, _ := tcp.Factory{Addr: s.Addr()}.New(0, requester.Replies(func(payload []byte) { answered <- string(payload[requester.StampSize:]) }))
	if err := c.Setup(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Teardown(context.Background()) }()
	_ = c.Request(context.Background(), append(make([]byte, requester.StampSize), "hello"...))
	fmt.Println(<-answered)
	// Output: hello
}

type unrecorded struct{}

func (unrecorded) Record(load.Op) {}

// A fan-out writes every message to one member of each group, and each producer's in order. Afterwards
// the server echoes again.
func TestFanOut(t *testing.T) {
	for _, topology := range []requester.Topology{{Topics: 1, Groups: 1, Members: 1}, {Topics: 2, Groups: 3, Members: 2}} {
		s := start(t, loopback.Config{}) // a server sees a little later that consumers have left
		const due = 500
		cfg := load.Config{Schedule: schedule.Spec{Rate: 1000, Duration: due * time.Millisecond}, Size: 256, Connections: 4, Topology: topology}
		o, err := load.Run(t.Context(), &tcp.Factory{Addr: s.Addr()}, cfg, unrecorded{}, load.Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		whole := load.Ledger{Due: due, Done: due}
		if o.Window != whole || o.Strays != (load.Strays{}) || len(o.Groups) != topology.Groups {
			t.Errorf("%v: %+v, %+v, %d groups", topology, o.Window, o.Strays, len(o.Groups))
		}
		for i, g := range o.Groups {
			if g.Ledger != whole || g.Duplicate > 0 || g.Disordered > 0 || slices.Min(g.Members) == 0 {
				t.Errorf("%v: group %d: %+v", topology, i, g)
			}
		}
	}
	requestertest.Run(t, tcp.Factory{Addr: start(t, loopback.Config{}).Addr()})
}

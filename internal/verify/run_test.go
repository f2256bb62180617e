package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/loopback/tcp"
	"github.com/brokerbench/brokerbench/internal/verify"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// system is a TCP system in this process.
type system struct {
	tcp.Factory
	server *tcp.Server
	ended  chan error
}

func start(cfg loopback.Config, connections, messages int) (verify.System, error) {
	s, err := tcp.Listen("127.0.0.1:0", cfg)
	if err != nil {
		return nil, err
	}
	s.Keep(loopback.NewJournal(connections, messages))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve() }()
	return &system{tcp.Factory{Addr: s.Addr()}, s, ended}, nil
}

func (s *system) Record() (loopback.Record, error) { return s.server.Record(), nil }
func (s *system) Stop() error                      { return errors.Join(s.server.Close(), <-s.ended) }

// Through real sockets, on whatever machine this is: no row disagrees.
func TestScenariosThroughRealSockets(t *testing.T) {
	for _, s := range verify.Scenarios(verify.Settings{Duration: time.Second, Rate: 500}) {
		t.Run(s.Name+", "+s.Mode(), func(t *testing.T) {
			t.Parallel()
			checks, err := verify.Verifier{Start: start}.Run(t.Context(), []verify.Scenario{s})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range disagreeing(checks) {
				t.Error(row)
			}
		})
	}
}

// memory is a system in memory.
type memory struct{ *loopback.Factory }

func (m memory) Record() (loopback.Record, error) { return m.Factory.Record(), nil }
func (m memory) Stop() error                      { return nil }

func TestScenariosInMemory(t *testing.T) {
	v := verify.Verifier{Start: func(cfg loopback.Config, connections, messages int) (verify.System, error) {
		f, err := loopback.New(cfg)
		if err == nil {
			f.Keep(loopback.NewJournal(connections, messages))
		}
		return memory{f}, err
	}}
	for _, s := range verify.Scenarios(verify.Settings{Duration: time.Second}) {
		t.Run(s.Name+", "+s.Mode(), func(t *testing.T) {
			t.Parallel()
			checks, err := v.Run(t.Context(), []verify.Scenario{s})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range disagreeing(checks) {
				t.Error(row)
			}
		})
	}
}

// stopped is a system that stood still.
type stopped struct{ verify.System }

func (s stopped) Record() (loopback.Record, error) {
	r, err := s.System.Record()
	r.Still = time.Second
	return r, err
}

// What a system that stood still shows proves nothing. It is tried again.
func TestASystemThatStoodStillIsInconclusive(t *testing.T) {
	started := 0
	v := verify.Verifier{Start: func(cfg loopback.Config, connections, messages int) (verify.System, error) {
		started++
		s, err := start(cfg, connections, messages)
		return stopped{s}, err
	}}
	checks, err := v.Run(t.Context(), verify.Scenarios(verify.Settings{Duration: time.Second})[:1])
	if err != nil {
		t.Fatal(err)
	}
	if c := checks[0]; c.Answer != verify.Inconclusive || !strings.Contains(c.Reason, "stood still for 1s") || c.Attempts != 3 || started != 3 {
		t.Errorf("%s after %d attempts, %d started: %s", c.Answer, c.Attempts, started, c.Reason)
	}
}

func TestASystemThatDoesNotStart(t *testing.T) {
	broken := errors.New("no port")
	v := verify.Verifier{Start: func(loopback.Config, int, int) (verify.System, error) { return nil, broken }}
	if _, err := v.Run(t.Context(), verify.Scenarios(verify.Settings{})); !errors.Is(err, broken) || !strings.Contains(err.Error(), "constant service") {
		t.Errorf("Run: %v", err)
	}
}

// pauser pauses nothing but records its calls.
type pauser struct {
	calls  []string
	err    error
	paused func() // nil: nothing happens in the pause
}

func (p *pauser) Pause() error {
	p.calls = append(p.calls, "pause")
	if p.paused != nil {
		p.paused()
	}
	return p.err
}

func (p *pauser) Continue() error { p.calls = append(p.calls, "continue"); return nil }

// live measures a loopback, and wants p to pause and continue it once.
func live(ctx context.Context, t *testing.T, p *pauser) (verify.Check, error) {
	t.Helper()
	f, err := loopback.New(loopback.Config{Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	cell := plan.Cell{
		Target: plan.Target{Name: "loopback"}, Shape: plan.Shape{Rate: 500, Size: 64, Connections: 1},
		Settings: plan.Settings{Duration: time.Second, Timeout: time.Second},
	}
	check, err := verify.Live(ctx, f, cell, p, loopback.Freeze{At: 300 * time.Millisecond, For: 400 * time.Millisecond}, measure.Options{})
	if fmt.Sprint(p.calls) != "[pause continue]" {
		t.Errorf("calls %v", p.calls)
	}
	return check, err
}

// A broker that keeps running during the pause is not the one that was paused.
func TestLiveNoticesThatNothingStoodStill(t *testing.T) {
	var check verify.Check
	var err error
	for range 5 { // on a busy machine it may be that nothing is sent in the pause: then it is not decided
		if check, err = live(t.Context(), t, &pauser{}); err != nil || check.Answer != verify.Inconclusive {
			break
		}
	}
	if err != nil || check.Answer != verify.Disagrees {
		t.Fatalf("%s, %v", check.Answer, err)
	}
	for _, r := range check.Rows {
		if wrong := r.Name == "waited for its end"; wrong == r.Agrees {
			t.Errorf("%s: agrees %v: %s", r.Name, r.Agrees, r.Where)
		}
	}
}

func TestLiveContinuesWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := live(ctx, t, &pauser{paused: cancel}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLiveTellsThatItCouldNotPause(t *testing.T) {
	p := &pauser{err: errors.New("operation not permitted")}
	if _, err := live(t.Context(), t, p); !errors.Is(err, p.err) {
		t.Error(err)
	}
}

func ExampleVerifier() {
	// A system of the caller's own, in this process; brokerbench verify starts
	// one in another.
	v := verify.Verifier{Start: start}
	checks, err := v.Run(context.Background(), []verify.Scenario{{
		Name:   "an echo after 10 ms",
		System: loopback.Config{Delay: 10 * time.Millisecond},
		Cell: plan.Cell{
			Shape:    plan.Shape{Rate: 100, Size: 64, Connections: 1},
			Settings: plan.Settings{Duration: time.Second, Timeout: time.Second},
		},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	due := checks[0].Rows[0]
	fmt.Println(due.Name, *due.Ideal, *due.Measured, due.Agrees)
	// Output: due 100 100 true
}

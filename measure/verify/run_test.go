package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/measure/verify"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/requester/loopback/tcp"
)

// system is a TCP system in this process.
type system struct {
	tcp.Factory
	server *tcp.Server
	ended  chan error
}

func start(cfg loopback.Config) (verify.System, error) {
	s, err := tcp.Listen("127.0.0.1:0", cfg)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve() }()
	return &system{tcp.Factory{Addr: s.Addr()}, s, ended}, nil
}

func (s *system) Late() (time.Duration, error) { return s.server.Late(), nil }
func (s *system) Stop() error                  { return errors.Join(s.server.Close(), <-s.ended) }

// Through real sockets: every count is exact, and no response is below what
// arithmetic allows. How far above it is depends on the machine.
func TestScenariosThroughRealSockets(t *testing.T) {
	var short []verify.Scenario
	for _, s := range verify.Scenarios(verify.Settings{Duration: 3 * time.Second, Rate: 500}) {
		if s.Name == "a stall of 1 s" || s.Name == "2 % never answered" {
			short = append(short, s)
		}
	}
	checks, err := verify.Verifier{Start: start}.Run(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	if len(checks) != 4 {
		t.Fatalf("%d checks, want 4", len(checks))
	}
	for _, c := range checks {
		for _, r := range c.Rows {
			switch {
			case r.Unit == "ops" && !r.Within:
				t.Errorf("%s, %s: %s: expected %d, measured %d", c.Scenario, c.Mode, r.Name, *r.Expected, *r.Measured)
			case (r.Expected == nil) != (r.Measured == nil):
				t.Errorf("%s, %s: %s: expected %v, measured %v: one is unknown", c.Scenario, c.Mode, r.Name, r.Expected, r.Measured)
			}
		}
	}
}

func TestASystemThatDoesNotStart(t *testing.T) {
	broken := errors.New("no port")
	v := verify.Verifier{Start: func(loopback.Config) (verify.System, error) { return nil, broken }}
	if _, err := v.Run(t.Context(), verify.Scenarios(verify.Settings{})); !errors.Is(err, broken) || !strings.Contains(err.Error(), "constant service") {
		t.Errorf("Run: %v", err)
	}
}

// pauser pauses nothing but records its calls.
type pauser struct {
	calls []string
	err   error
}

func (p *pauser) Pause() error    { p.calls = append(p.calls, "pause"); return p.err }
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
	check, err := verify.Live(ctx, f, cell, p, verify.Pause{At: 300 * time.Millisecond, For: 400 * time.Millisecond}, measure.Options{})
	if fmt.Sprint(p.calls) != "[pause continue]" {
		t.Errorf("calls %v", p.calls)
	}
	return check, err
}

// A broker that keeps running during the pause is outside of the tolerance.
func TestLiveNoticesThatNothingStoodStill(t *testing.T) {
	if check, err := live(t.Context(), t, &pauser{}); err != nil || check.Within {
		t.Errorf("within %v, %v", check.Within, err)
	}
}

func TestLiveContinuesWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond) // within the pause
	defer cancel()
	if _, err := live(ctx, t, &pauser{}); !errors.Is(err, context.DeadlineExceeded) {
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
	fmt.Println(due.Name, *due.Expected, *due.Measured, due.Within)
	// Output: due 100 100 true
}

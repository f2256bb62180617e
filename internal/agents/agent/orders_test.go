package agent

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// audits is a Measure that reads a store when its ctx has ended, for so long, which only GiveUp
// ends.
func audits(long time.Duration) func(context.Context, wire.Task, string, Hooks) error {
	return func(ctx context.Context, _ wire.Task, dir string, hooks Hooks) error {
		hooks.Started(time.Now())
		<-ctx.Done()
		select {
		case <-hooks.GiveUp:
		case <-time.After(long):
		}
		return write(dir)
	}
}

// An audit that nobody waits for does not use up the time of the next attempt.
func TestAnotherTaskEndsAnAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, audits(2*time.Minute))
		s.begin(t.Context())
		s.prepare("1")
		s.wants("1", wire.Running)
		s.tell(wire.Order{Kind: wire.Stop, Key: "1"})
		time.Sleep(10 * time.Second)
		if b := s.last(); b.State != wire.Running {
			t.Fatalf("it does not audit: %+v", b)
		}
		begun := time.Now()
		s.prepare("2") // the first order ends the task before
		time.Sleep(time.Second)
		s.prepare("2")
		s.wants("2", wire.Running)
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		if s.stored != 0 {
			t.Errorf("%d chunks of a result that nobody wants are in the stream", s.stored)
		}
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
}

// Forget ends what is measured, audited and delivered, and what is delivered stays so.
func TestWhatIsForgottenIsAborted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		full    bool
		measure func(context.Context, wire.Task, string, Hooks) error
		in      wire.State
		want    wire.State
	}{
		{"running", false, audits(2 * time.Minute), wire.Running, wire.Aborted},
		{"delivering", true, sends(time.Second), wire.Done, wire.Aborted},
		{"delivered", false, sends(time.Second), wire.Delivered, wire.Delivered},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, tt.measure)
				s.full = tt.full
				s.begin(t.Context())
				s.prepare("1")
				s.wants("1", tt.in)
				s.tell(wire.Order{Kind: wire.Forget, Key: "0"}) // of another attempt
				time.Sleep(time.Second)
				if b := s.last(); b.State != tt.in {
					t.Fatalf("%+v", b)
				}
				s.tell(wire.Order{Kind: wire.Forget, Key: "1"})
				time.Sleep(time.Second)
				b := s.last()
				if b.State != tt.want || tt.want == wire.Aborted && !strings.Contains(b.Error, "its result is not needed") {
					t.Errorf("%+v, want %s", b, tt.want)
				}
				s.tell(wire.Order{Kind: wire.Bye})
				s.end(nil)
			})
		})
	}
}

// A coordinator that no longer has the run repeats what it wanted: the task of the one that
// has it goes on.
func TestAnOlderAttemptIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, sends(time.Minute))
		s.begin(t.Context())
		s.prepare("6")
		s.wants("6", wire.Running)
		for _, key := range []string{"3", "0", "5"} {
			s.prepare(key)
			time.Sleep(time.Second)
			if b := s.last(); b.Key != "6" || b.State != wire.Running {
				t.Fatalf("after %s: %+v", key, b)
			}
		}
		s.wants("6", wire.Delivered)
		s.prepare("3")
		time.Sleep(time.Second)
		if b := s.last(); b.Key != "6" {
			t.Errorf("%+v", b)
		}
		s.prepare("10") // as a word it would be older
		s.wants("10", wire.Running)
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
}

// What another agent used until now may take longer to end than the lease. The agent goes on
// to report, and the files of the task before are gone when the next one is measured.
func TestTidyingUpDoesNotStopTheReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 15 * time.Second
		s := newSite(t, nil)
		s.agent.cfg.Measure = func(ctx context.Context, task wire.Task, dir string, hooks Hooks) error {
			if left, _ := os.ReadDir(s.agent.cfg.Dir); len(left) != 1 {
				t.Errorf("there are folders of %d tasks", len(left))
			}
			hooks.Keep(func() { time.Sleep(slow) })
			return sends(time.Second)(ctx, task, dir, hooks)
		}
		s.begin(t.Context())
		s.prepare("1")
		s.wants("1", wire.Delivered)
		s.prepare("2")
		s.wants("2", wire.Preparing)
		before := s.count()
		time.Sleep(lease + time.Second)
		if n := s.count() - before; n < 20 {
			t.Errorf("%d beats in %v", n, lease)
		}
		if b := s.last(); b.State != wire.Preparing {
			t.Errorf("%+v", b)
		}
		s.wants("2", wire.Delivered)
		s.tell(wire.Order{Kind: wire.Bye})
		time.Sleep(slow)
		if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "did not end") { // 15 s are more than it waits
			t.Errorf("%v", err)
		}
	})
}

// What does not end does not keep the agent.
func TestAnAgentEndsAlthoughItsTaskDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		s := newSite(t, func(_ context.Context, _ wire.Task, _ string, hooks Hooks) error {
			hooks.Started(time.Now())
			<-stuck
			return nil
		})
		s.begin(t.Context())
		s.prepare("1")
		s.wants("1", wire.Running)
		s.tell(wire.Order{Kind: wire.Bye})
		begun := time.Now()
		if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "did not end: part 1 of") {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took > endTime+time.Second {
			t.Errorf("it took %v", took)
		}
		if b := s.last(); b.State != wire.Ended {
			t.Errorf("the last beat is %+v", b)
		}
		close(stuck)
	})
}

// A task of a coordinator that has answered no beat yet is not stopped: its order is contact
// enough for a lease.
func TestATaskRenewsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, sends(time.Minute))
		s.begin(t.Context())
		time.Sleep(time.Second)
		s.silence(true) // the coordinator is gone
		time.Sleep(2 * lease)
		s.prepare("1") // of the next one
		time.Sleep(lease - time.Second)
		s.wants("1", wire.Running)
		s.silence(false)
		time.Sleep(2 * lease)
		s.wants("1", wire.Running)
		s.silence(true)
		muted := time.Now()
		s.wants("1", wire.Delivered) // a lease ends nevertheless
		if took := time.Since(muted); took > 2*lease {
			t.Errorf("it went on for %v without contact, want %v", took, lease)
		}
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
}

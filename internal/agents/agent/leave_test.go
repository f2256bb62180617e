package agent

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

var errSignal = errors.New("a signal")

// running returns the site of an agent that measures a task, and what sends it a signal.
func running(t *testing.T, measure func(context.Context, wire.Task, string, Hooks) error) (s *site, signal func()) {
	t.Helper()
	s = newSite(t, measure)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.begin(ctx)
	s.prepare("1")
	s.wants("1", wire.Running)
	return s, func() { cancel(errSignal) }
}

// What an agent measured until its user ended it is delivered, and the coordinator has heard of
// it before the agent ends.
func TestAnAgentThatIsToldToEndDeliversWhatItMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, signal := running(t, sends(time.Hour))
		time.Sleep(5 * time.Second)
		signal()
		if took := s.end(errSignal); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if b := s.last(); b.State != wire.Delivered || !b.Leaving || b.Result == nil || s.stored == 0 {
			t.Errorf("the last beat is %+v, %d chunks are stored", b, s.stored)
		}
	})
}

// A cut of half a minute at that moment: the result is delivered once the link is there again.
func TestAnAgentThatIsToldToEndWaitsForItsCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, signal := running(t, sends(time.Hour))
		s.cut(true)
		signal()
		time.Sleep(30 * time.Second)
		s.cut(false)
		if took := s.end(errSignal); took > 6*time.Second {
			t.Errorf("it took %v", took)
		}
		delivered(t, s)
	})
}

// A result in the stream of which the coordinator has not heard is not delivered.
func TestAnAgentThatIsToldToEndWaitsForAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, signal := running(t, sends(time.Hour))
		s.silence(true)
		signal()
		s.wants("1", wire.Delivered)
		time.AfterFunc(30*time.Second, func() { s.silence(false) })
		if took := s.end(errSignal); took < 30*time.Second || took > 31*time.Second {
			t.Errorf("it took %v, want 30s", took)
		}
	})
}

// An audit that would take longer than an agent stays is ended while there is time to deliver.
func TestAnAuditDoesNotKeepAnAgentFromDelivering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, signal := running(t, audits(2*time.Minute))
		signal()
		if took := s.end(errSignal); took < hurryTime || took > hurryTime+2*time.Second {
			t.Errorf("it took %v, want %v", took, hurryTime)
		}
		delivered(t, s)
	})
}

// After a minute nobody waits for the coordinator any more. The files stay, and the error says where.
func TestWhatCannotBeDeliveredIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, signal := running(t, sends(time.Hour))
		s.cut(true)
		signal()
		begun := time.Now()
		err := <-s.ended
		if took := time.Since(begun); took < time.Minute || took > time.Minute+endTime {
			t.Errorf("it took %v, want a minute", took)
		}
		kept(t, err)
	})
}

// delivered wants the last beat to be that of an agent that leaves, and whose result is stored.
func delivered(t *testing.T, s *site) {
	t.Helper()
	if b := s.last(); b.State != wire.Delivered || !b.Leaving || s.stored == 0 {
		t.Errorf("the last beat is %+v, %d chunks are stored", b, s.stored)
	}
}

// kept wants an error of a result that was not delivered, and its file.
func kept(t *testing.T, err error) {
	t.Helper()
	u := new(Undelivered)
	if !errors.As(err, &u) || !errors.Is(err, errSignal) || !strings.Contains(err.Error(), "is kept in "+u.Dir) {
		t.Fatalf("%v", err)
	}
	if files, _ := os.ReadDir(u.Dir); len(files) != 1 {
		t.Errorf("%d files in %s", len(files), u.Dir)
	}
}

// A second signal ends an agent at once, also while it waits to deliver.
func TestASecondSignalEndsAnAgentAtOnce(t *testing.T) {
	for _, after := range []time.Duration{0, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, sends(time.Hour))
			giveUp := make(chan struct{})
			s.agent.cfg.GiveUp = giveUp
			ctx, cancel := context.WithCancelCause(t.Context())
			s.begin(ctx)
			s.prepare("1")
			s.wants("1", wire.Running)
			s.cut(true)
			cancel(errSignal)
			time.Sleep(after)
			close(giveUp)
			begun := time.Now()
			kept(t, <-s.ended)
			if took := time.Since(begun); took > endOnceTime {
				t.Errorf("after %v it took %v", after, took)
			}
		})
	}
}

// An agent without a result that is told to end says so, and does not wait for who is not there.
func TestAnIdleAgentThatIsToldToEnd(t *testing.T) {
	for _, cut := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, sends(time.Hour))
			ctx, cancel := context.WithCancelCause(t.Context())
			s.begin(ctx)
			s.wants("", wire.Idle)
			s.cut(cut)
			cancel(errSignal)
			if took := s.end(errSignal); took > answerTime+time.Second {
				t.Errorf("it took %v", took)
			}
			if !cut && !s.last().Leaving {
				t.Errorf("the last beat is %+v", s.last())
			}
			if len(s.said) != 0 {
				t.Errorf("it says %q", s.said)
			}
		})
	}
}

// An agent that leaves takes no other task.
func TestAnAgentThatLeavesBeginsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, sends(time.Hour))
		s.full = true // the result of the first task cannot be delivered yet
		ctx, cancel := context.WithCancelCause(t.Context())
		s.begin(ctx)
		s.prepare("1")
		s.wants("1", wire.Running)
		cancel(errSignal)
		s.wants("1", wire.Done)
		s.prepare("2")
		time.Sleep(5 * time.Second)
		if b := s.last(); b.Key != "1" || b.State != wire.Done {
			t.Errorf("%+v", b)
		}
		s.mu.Lock()
		s.full = false
		s.mu.Unlock()
		s.end(errSignal)
	})
}

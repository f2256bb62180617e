package rabbitmq

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestGuardCutsACallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cuts := 0
		g := &guard{cut: func() { cuts++ }}
		ctx, cancel := context.WithCancel(t.Context())
		g.enter(ctx)
		time.Sleep(time.Hour)
		synctest.Wait()
		if cuts > 0 {
			t.Error("cut before the context has ended")
		}
		cancel()
		time.Sleep(2 * grace)
		synctest.Wait()
		if cuts != 1 {
			t.Errorf("%d cuts, want 1", cuts)
		}
	})
}

func TestGuardLetsCallsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cuts := 0
		g := &guard{cut: func() { cuts++ }}
		ctx, cancel := context.WithCancel(t.Context())
		g.enter(ctx)
		cancel()
		time.Sleep(grace / 2) // about to return
		g.leave()
		g.release()
		time.Sleep(2 * grace)
		synctest.Wait()
		if cuts > 0 {
			t.Errorf("%d cuts, want none", cuts)
		}
	})
}

func TestGuardWatchesTheContextOfTheLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cuts := 0
		g := &guard{cut: func() { cuts++ }}
		first, cancelFirst := context.WithCancel(t.Context())
		second, cancelSecond := context.WithCancel(t.Context())
		for _, ctx := range []context.Context{first, first, second} {
			g.enter(ctx)
			g.leave()
		}
		g.enter(second)
		cancelFirst()
		time.Sleep(2 * grace)
		synctest.Wait()
		if cuts > 0 {
			t.Error("cut for a context that is not the call's")
		}
		cancelSecond()
		time.Sleep(2 * grace)
		synctest.Wait()
		if cuts != 1 {
			t.Errorf("%d cuts, want 1", cuts)
		}
	})
}

func TestGuardWatchesNothingOnceReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cuts := 0
		g := &guard{cut: func() { cuts++ }}
		ctx, cancel := context.WithCancel(t.Context())
		g.release()
		g.enter(ctx)
		cancel()
		time.Sleep(2 * grace)
		synctest.Wait()
		if cuts > 0 || g.stop != nil {
			t.Errorf("%d cuts after release, want none", cuts)
		}
	})
}

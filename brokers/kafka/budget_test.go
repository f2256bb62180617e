package kafka

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBudgetBlocksUntilGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10)
		if err := b.take(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { b.give(10) })
		start := time.Now()
		if err := b.take(t.Context(), 1); err != nil || time.Since(start) != time.Second {
			t.Errorf("take: %v after %v, want nil after 1s", err, time.Since(start))
		}
	})
}

func TestBudgetAdmitsOneThatIsLargerThanIt(t *testing.T) {
	b := newBudget(10)
	if err := b.take(t.Context(), 100); err != nil {
		t.Error(err)
	}
}

func TestBudgetEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		b := newBudget(10)
		_ = b.take(ctx, 10)
		if err := b.take(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("take with a context that ends: %v", err)
		}
		time.AfterFunc(time.Second, b.close)
		if err := b.take(t.Context(), 1); !errors.Is(err, errTornDown) {
			t.Errorf("take until the end: %v", err)
		}
		b.close()
		if err := b.take(t.Context(), 0); !errors.Is(err, errTornDown) {
			t.Errorf("take after the end: %v", err)
		}
	})
}

func TestBudgetAddsUp(t *testing.T) {
	b := newBudget(100)
	var givers sync.WaitGroup
	for range 10_000 {
		if err := b.take(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		if used := b.used.Load(); used > 100 {
			t.Fatalf("%d are in use of 100", used)
		}
		givers.Go(func() { b.give(7) })
	}
	givers.Wait()
	if used := b.used.Load(); used != 0 {
		t.Errorf("%d are in use after all were given back", used)
	}
}

func TestBudgetDoesNotAllocate(t *testing.T) {
	b := newBudget(100)
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() { _ = b.take(ctx, 10); b.give(10) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

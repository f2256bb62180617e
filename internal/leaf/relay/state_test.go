package relay

import (
	"testing"
	"time"
)

func TestNothingOvertakes(t *testing.T) {
	f, now := fate{}, time.Now()
	s := State{Delay: 20 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}
	last := now
	for range 1000 {
		now = now.Add(time.Millisecond)
		at := f.release(s, 1, now, 100)
		if at.Before(last) || at.Before(now) {
			t.Fatalf("%v after %v, sent at %v", at, last, now)
		}
		last = at
	}
}

// One segment in ten is lost: a tenth of those that are alone come after the retry.
func TestLossIsARetry(t *testing.T) {
	late, s := 0, State{Delay: 10 * time.Millisecond, Loss: 0.1}
	f := fate{}
	for i := range 10_000 {
		now := time.Unix(int64(1000*i), 0)
		switch took := f.release(s, 1, now, 100).Sub(now); {
		case took == s.Delay:
		case took >= s.Delay+leastRetry+2*s.Delay:
			late++
		default:
			t.Fatalf("took %v", took)
		}
	}
	if late < 900 || late > 1100 {
		t.Errorf("%d of 10,000 were lost", late)
	}
}

// What follows shows that a segment is missing after a round trip.
func TestLossIsSeenSoonerInABurst(t *testing.T) {
	s := State{Delay: 10 * time.Millisecond, Loss: 0.05}
	soon := 0
	for i := range uint64(1000) {
		f := fate{number: i}
		now := time.Unix(1000, 0)
		if took := f.release(s, 1, now, 10*segment).Sub(now); took == 3*s.Delay {
			soon++
		}
	}
	if soon < 150 {
		t.Errorf("%d of 1,000", soon)
	}
}

func TestTheSameSeedIsTheSameFate(t *testing.T) {
	draw := func(seed, number uint64) (all []time.Duration) {
		f := fate{number: number}
		for i := range 100 {
			now := time.Unix(int64(1000*i), 0)
			all = append(all, f.release(State{Delay: time.Second, Jitter: time.Second, Seed: seed}, 1, now, 1).Sub(now))
		}
		return all
	}
	same := func(a, b []time.Duration) bool {
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	if !same(draw(1, 1), draw(1, 1)) || same(draw(1, 1), draw(2, 1)) || same(draw(1, 1), draw(1, 2)) {
		t.Error("the seed does not decide")
	}
}

func TestAThrottleIsShared(t *testing.T) {
	var c channel
	now := time.Unix(1000, 0)
	for i := range 3 {
		if got, want := c.occupy(now, 500, 1000), now.Add(time.Duration(i+1)*500*time.Millisecond); !got.Equal(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if later := now.Add(time.Minute); !c.occupy(later, 1000, 1000).Equal(later.Add(time.Second)) {
		t.Error("what was not used before counts")
	}
	if !c.occupy(now, 1<<30, 0).Equal(now) {
		t.Error("no limit is one")
	}
}

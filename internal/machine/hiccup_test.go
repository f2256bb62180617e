package machine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// stalling is late for one wake-up by a known time.
type stalling struct {
	sleep
	start  time.Time
	at, by time.Duration
}

func (s stalling) wait(left time.Duration) {
	s.sleep.wait(left)
	if time.Since(s.start) == s.at {
		time.Sleep(s.by)
	}
}

// hiccupsOf returns what the meter records in virtual time around one stall, of
// all wake-ups that were due until 500 ms.
func hiccupsOf(t *testing.T, stall time.Duration) (values []time.Duration) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		alarm := stalling{start: time.Now(), at: 20 * time.Millisecond, by: stall}
		stop := observeHiccups(alarm, func(v time.Duration) { values = append(values, v) })
		time.Sleep(500*time.Millisecond + 1)
		stop()
		stop() // harmless
		recorded := len(values)
		time.Sleep(time.Second)
		if len(values) != recorded {
			t.Errorf("%d values after stop", len(values)-recorded)
		}
	})
	if len(values) < 500 {
		t.Fatalf("%d values, want one for each of 500 ms", len(values))
	}
	return values[:500]
}

// A stall of length S that begins when a wake-up is due hides ⌊S⌋ more of them:
// S, S−1 ms, S−2 ms …, and the others are on time.
func TestAStallIsBackFilled(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		stall time.Duration
		want  []time.Duration // from the 20th on
	}{
		{0, nil},
		{400 * time.Microsecond, []time.Duration{400 * time.Microsecond}},
		{ms, []time.Duration{ms, 0}},
		{4*ms + 300*time.Microsecond, []time.Duration{4300_000, 3300_000, 2300_000, 1300_000, 300_000}},
	} {
		want := slices.Concat(make([]time.Duration, 19), tt.want, make([]time.Duration, 481-len(tt.want)))
		if got := hiccupsOf(t, tt.stall); !slices.Equal(got, want) {
			t.Errorf("a stall of %v:\ngot  %v\nwant %v", tt.stall, got, want)
		}
	}
}

// Seen at random moments, a stall of S in a time T makes the share of those that
// wait longer than v (S − v)/T.
func TestAStallHasTheDistributionOfRandomArrivals(t *testing.T) {
	const stall, window = 300 * time.Millisecond, 500 * time.Millisecond
	values := hiccupsOf(t, stall)
	for _, v := range []time.Duration{1, 50 * time.Millisecond, 150 * time.Millisecond, 299 * time.Millisecond, 300 * time.Millisecond} {
		longer := 0
		for _, value := range values {
			if value > v {
				longer++
			}
		}
		want := float64(stall-v) / float64(window)
		if got := float64(longer) / float64(len(values)); got < want-1./500 || got > want+1./500 {
			t.Errorf("longer than %v: a share of %v, want %v", v, got, want)
		}
	}
}

func TestMeteringAllocatesNothing(t *testing.T) {
	var sum time.Duration
	m := &meter{start: time.Now(), due: HiccupPeriod, alarm: newAlarm(), record: func(v time.Duration) { sum += v }}
	defer m.alarm.close()
	if got := testing.AllocsPerRun(50, m.step); got != 0 {
		t.Errorf("a step makes %v allocations", got)
	}
	if sum <= 0 {
		t.Errorf("50 wake-ups are %v late in all: nothing was measured", sum)
	}
}

// Real time: the kernel's timer, and one value for each millisecond due.
func TestThereIsAValueForEachMillisecond(t *testing.T) {
	before := time.Now()
	count := 0
	enough := make(chan struct{})
	stop := ObserveHiccups(func(v time.Duration) {
		if v < 0 {
			t.Errorf("woken %v before due", -v)
		}
		if count++; count == 30 {
			close(enough)
		}
	})
	begun := time.Now()
	<-enough
	least := int(time.Since(begun) / HiccupPeriod)
	stop()
	most := int(time.Since(before) / HiccupPeriod)
	if count < least || count > most {
		t.Errorf("%d values, want %d to %d", count, least, most)
	}
}

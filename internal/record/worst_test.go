package record

import (
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

const ms = time.Millisecond

func TestTheWorstMessageOfEachSlotIsKept(t *testing.T) {
	w := NewWorst(Window{time.Second, 2 * time.Second})
	for _, m := range []struct{ due, response time.Duration }{
		{999 * ms, 90 * ms},                    // of the warm-up
		{time.Second, 2 * ms},                  // the first slot
		{time.Second + 5*ms, 7 * ms},           // is slower
		{time.Second + 6*ms, 7 * ms},           // no slower
		{time.Second + 11*ms, 3 * ms},          // the second slot
		{2*time.Second - time.Nanosecond, 1},   // the last
		{2 * time.Second, 80 * ms},             // after the window
		{time.Second + 500*ms, 24 * time.Hour}, // no limit
	} {
		w.Record(m.due, m.response)
	}
	var s cause.Samples
	w.Describe(&s)
	const step = 10 * ms / 1024 // the precision of the time
	want := []cause.WorstMessage{
		{DueNS: int64(time.Second + 500*ms), ResponseNS: int64(24 * time.Hour)},
		{DueNS: int64(time.Second + 5*ms), ResponseNS: int64(7 * ms)},
		{DueNS: int64(time.Second + 11*ms), ResponseNS: int64(3 * ms)},
		{DueNS: int64(2*time.Second - step), ResponseNS: 1},
	}
	if len(s.Worst) != len(want) || s.FromNS != int64(time.Second) || s.ToNS != int64(2*time.Second) || s.SlotNS != int64(10*ms) {
		t.Fatalf("got %+v", s)
	}
	for i, got := range s.Worst {
		if got.ResponseNS != want[i].ResponseNS || got.DueNS > want[i].DueNS+int64(step) || got.DueNS < want[i].DueNS-int64(step) {
			t.Errorf("message %d: got %+v, want %+v", i, got, want[i])
		}
	}
}

func TestWorstIsBounded(t *testing.T) {
	day := 24 * time.Hour
	w := NewWorst(Window{0, day})
	if got := len(w.slots); got > worstSlots {
		t.Errorf("%d slots, more than %d", got, worstSlots)
	}
	var recording sync.WaitGroup
	for part := range 4 {
		recording.Go(func() {
			for i := range 50_000 {
				w.Record(day*time.Duration(i)/50_000, time.Duration(1+(i*4+part)%9_999))
			}
		})
	}
	recording.Wait()
	var s cause.Samples
	w.Describe(&s)
	if len(s.Worst) != worstKept || s.Worst[0].ResponseNS != 9_999 {
		t.Errorf("%d messages, the worst %d ns", len(s.Worst), s.Worst[0].ResponseNS)
	}
	for i := range s.Worst[1:] {
		if s.Worst[i].ResponseNS < s.Worst[i+1].ResponseNS {
			t.Fatalf("message %d is not sorted", i)
		}
	}
}

func TestWorstAllocatesNothing(t *testing.T) {
	w := NewWorst(Window{0, time.Second})
	i := time.Duration(0)
	if n := testing.AllocsPerRun(1000, func() { i++; w.Record(i*100*time.Microsecond, i) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	(*Worst)(nil).Record(0, 1)
}

func BenchmarkWorst(b *testing.B) {
	b.ReportAllocs()
	w := NewWorst(Window{0, time.Minute})
	for i := 0; b.Loop(); i++ {
		w.Record(time.Duration(i*50_000)%time.Minute, time.Duration(1+i%1000))
	}
}

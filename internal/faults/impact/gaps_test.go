package impact

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// What is recorded of a message for its faults allocates nothing, but for a page now and then.
func TestRecordingAllocatesNothing(t *testing.T) {
	h := newRecorder(fallCell(5*second, second), false)
	h.Record(load.Op{Done: ms}) // the first of a page
	h.RecordAck(load.Ack{Acked: ms})
	at := ms
	if got := testing.AllocsPerRun(1000, func() {
		at += ms
		h.Record(load.Op{Seq: uint64(at / ms), Due: at, Done: at + ms, Disordered: true})
		h.RecordAck(load.Ack{Seq: uint64(at / ms), Acked: at})
		h.RecordDuplicate(0, at)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// The longest silences of each part are kept, whatever the others are.
func TestTheLongestSilencesAreKept(t *testing.T) {
	s := newConnGaps(1, []time.Duration{second, 2 * second}, keptGaps)
	at := ms
	note := func(gap time.Duration) {
		at += gap
		s.note(0, at)
	}
	s.note(0, at)
	for at < 990*ms { // the first part has many long ones
		note(40 * ms)
	}
	for i := range 300 {
		gap := ms
		if i%60 == 7 {
			gap = time.Duration(10+i) * ms / 10
		}
		note(gap)
	}
	var lengths []time.Duration
	for _, one := range s.Each[0].Kept[1] {
		lengths = append(lengths, one.length())
	}
	slices.Sort(lengths)
	if want := []time.Duration{13700 * time.Microsecond, 19700 * time.Microsecond, 25700 * time.Microsecond, 40 * ms}; !slices.Equal(lengths, want) {
		t.Errorf("%v, want %v", lengths, want)
	}
}

// Many goroutines may note at once: none of the silences is lost, or longer than it was.
func TestSilencesOfManyGoroutines(t *testing.T) {
	s := newConnGaps(4, nil, keptGaps)
	start := time.Now()
	var all sync.WaitGroup
	for conn := range 4 {
		for range 2 {
			all.Go(func() {
				for range 20_000 {
					s.note(conn, time.Since(start))
				}
			})
		}
	}
	all.Wait()
	took := time.Since(start)
	for i := range s.Each {
		sum := time.Duration(0)
		for _, one := range s.Each[i].Kept[0] {
			if one.To < one.From || one.To > took {
				t.Errorf("%v", one)
			}
			sum += one.length()
		}
		if sum == 0 || sum > took {
			t.Errorf("connection %d: %v of %v", i, sum, took)
		}
	}
}

func TestRecovered(t *testing.T) {
	slots := func(over ...int64) (list []overdue) {
		for _, n := range over {
			list = append(list, overdue{50, n})
		}
		return list
	}
	for _, tt := range []struct {
		name string
		list []overdue
		want int
		ok   bool
	}{
		{"never left", slots(0, 0, 0, 0, 0, 0), 0, true},
		{"back at once", slots(50, 50, 0, 0, 0, 0, 0, 0), 2, true},
		{"one in a hundred is no matter", slots(50, 0, 1, 0, 0, 0, 0, 0), 1, true},
		{"a relapse", slots(50, 0, 0, 50, 0, 0, 0, 0), 4, true},
		{"never", slots(50, 50, 50, 50), 0, false},
		{"too few to know", slots(50, 50, 50, 0), 0, false},
		{"nothing", nil, 0, false},
	} {
		if got, ok := recovered(tt.list, 2); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %d %v, want %d %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// BenchmarkRecorder measures what is recorded of a message for its faults.
func BenchmarkRecorder(b *testing.B) {
	h := newRecorder(fallCell(5*second, second), false)
	b.ReportAllocs()
	at := ms
	for b.Loop() {
		at += ms
		h.Record(load.Op{Seq: uint64(at/ms) % (1 << 15), Due: at, Done: at + ms})
		h.RecordAck(load.Ack{Seq: uint64(at/ms) % (1 << 15), Acked: at})
	}
}

// Of very many connections only all together are followed.
func TestVeryManyConnections(t *testing.T) {
	if s := newConnGaps(1_000_000, nil, keptGaps); s.Each != nil {
		t.Errorf("%d connections are followed", len(s.Each))
	}
	s := newConnGaps(1_000_000, nil, keptGaps)
	s.note(999_999, ms)
	s.note(7, 3*ms)
	if usual, ok := s.All.usual(0, 10*ms); !ok || usual != 7*ms {
		t.Errorf("usual %v, %v", usual, ok)
	}
}

// Each part may have few enough connections to keep the gaps of each, and the whole too many.
func TestPartsOfTooManyConnectionsAreAdded(t *testing.T) {
	whole := newConnGaps(mostKept, nil, keptGaps)
	for part := range 2 {
		p := newConnGaps(2, nil, keptOfParts)
		p.note(0, time.Second)
		if err := whole.add(p, part, 2); err != nil {
			t.Error(err)
		}
	}
	if whole.Each != nil || len(whole.parts) != 2 {
		t.Errorf("gaps of %d connections, %d parts; want 0 and 2", len(whole.Each), len(whole.parts))
	}
}

package sample

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// storeOf returns a store with a series of each kind.
func storeOf() *store {
	s := &store{series: []*series{{kind: cause.Time}, {kind: cause.Count}, {kind: cause.Level}}}
	s.begin(0)
	return s
}

func TestMemoryIsBoundedAndNothingIsLost(t *testing.T) {
	s := storeOf()
	const n = 5*mostSamples + 3
	for i := range n {
		s.add(time.Duration(i+1)*Every, []int64{3, 1, int64(i % 7)})
	}
	if len(s.ends) > mostSamples || s.each != 8 {
		t.Fatalf("%d samples of %d readings", len(s.ends), s.each)
	}
	if got := time.Duration(s.before(len(s.ends))); got != n*Every {
		t.Errorf("the last sample ends at %v, want %v", got, n*Every)
	}
	for i, want := range []int64{3 * n, n} {
		sum := int64(0)
		for _, v := range s.series[i].values {
			sum += int64(v)
		}
		if sum != want {
			t.Errorf("the sum of %s is %d, want %d", s.series[i].kind, sum, want)
		}
	}
	if most := slices.Max(s.series[2].values); most != 6 {
		t.Errorf("the highest level is %d, want 6", most)
	}
	if !slices.IsSorted(s.ends) {
		t.Error("the samples are not in order")
	}
}

func TestAReadingOfSeveralSamplesBelongsToAll(t *testing.T) {
	s := storeOf()
	for i := range 8 {
		s.add(time.Duration(i+1)*Every, make([]int64, 3))
	}
	s.back(0, 500, coarse)
	s.back(1, 2, coarse)
	s.back(2, 9, coarse)
	var got cause.Samples
	s.describe(&got)
	for i, want := range [][]int64{{100, 100, 100, 100, 100}, {2, 2, 2, 2, 2}, {9, 9, 9, 9, 9}} {
		if one := got.Series[i]; !slices.Equal(one.Value, want) || !slices.Equal(one.Gaps, []int{3, 1, 1, 1, 1}) {
			t.Errorf("%s: got %v at %v", one.Kind, one.Value, one.Gaps)
		}
	}
	if got.Samples != 8 || !slices.Equal(got.EndsNS[:3], []int64{0, int64(Every), int64(Every)}) {
		t.Errorf("got %d samples that end at %v", got.Samples, got.EndsNS)
	}
}

// A time that belongs to a short and a long sample is mostly in the long one.
func TestATimeBelongsToSamplesByTheirLength(t *testing.T) {
	s := storeOf()
	s.add(Every, make([]int64, 3))
	s.add(11*Every, make([]int64, 3))
	s.back(0, 90_001, pair)
	if got := s.series[0].values; !slices.Equal(got, []uint32{8181, 81_820}) {
		t.Errorf("got %v", got)
	}
}

// The samples of a cell that is known to be long are long from the beginning.
func TestALongCellHasLongSamples(t *testing.T) {
	s := storeOf()
	s.grow(2*mostSamples + 1)
	s.begin(0)
	for i := range 2*mostSamples + 1 {
		s.add(time.Duration(i+1)*Every, []int64{1, 1, 1})
	}
	if s.each != 4 || len(s.ends) != mostSamples/2+1 {
		t.Errorf("%d samples of %d readings", len(s.ends), s.each)
	}
}

// A counter that grows is read every second sample, one that does not every fifth; the value belongs to all samples since.
func TestPace(t *testing.T) {
	s, p := New(nil), new(pace)
	s.add(cause.PageFaults, cause.Client, cause.Count, "faults")
	s.store.begin(0)
	var read []int
	for n := range 16 {
		if n > 0 {
			s.store.add(time.Duration(n)*Every, nil)
		}
		if !p.due(n) {
			continue
		}
		read = append(read, n)
		grew := int64(0)
		if n == 5 || n == 7 {
			grew = 1
		}
		p.put(s, 0, grew)
	}
	if want := []int{0, 5, 7, 9, 14}; !slices.Equal(read, want) {
		t.Errorf("read in samples %v, want %v", read, want)
	}
	if got, want := s.store.series[0].values[:9], []uint32{1, 1, 1, 1, 1, 1, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
}

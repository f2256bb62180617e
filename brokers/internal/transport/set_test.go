package transport_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

func TestSet(t *testing.T) {
	var n transport.Set[string]
	n.Remove("a")
	for _, name := range []string{"a", "b", "a", "c"} {
		n.Add(name)
	}
	before := n.All()
	n.Remove("b")
	if got := n.All(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("names %v, want a and c", got)
	}
	if !slices.Equal(before, []string{"a", "b", "c"}) {
		t.Errorf("names of before %v", before)
	}
}

// Each waits for all of them, which do not wait for one another.
func TestEach(t *testing.T) {
	var s transport.Set[int]
	for i := range 3 {
		s.Add(i)
	}
	var here atomic.Int32
	all := make(chan struct{})
	err := s.Each(func(i int) error {
		if here.Add(1) == 3 {
			close(all)
		}
		<-all
		if i == 0 {
			return nil
		}
		return errors.New(strings.Repeat("x", i))
	})
	if err == nil || err.Error() != "x\nxx" {
		t.Errorf("%v", err)
	}
}

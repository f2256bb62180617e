package notes

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// What differs in the port of this side only is one cause: each new connection has another one.
func TestACauseIsNotALocalPort(t *testing.T) {
	var f Failures
	for i := range 30 {
		f.Add(fmt.Errorf("publishing: read tcp 127.0.0.1:%d->127.0.0.1:5672: reset; write tcp [::1]:%d->[::1]:5673: reset", 40000+i, 50000+i))
	}
	f.Add(errors.New("dial tcp 127.0.0.1:5672: refused"))
	want := []Failure{
		{"publishing: read tcp 127.0.0.1->127.0.0.1:5672: reset; write tcp [::1]->[::1]:5673: reset", 30},
		{"dial tcp 127.0.0.1:5672: refused", 1},
	}
	if got := f.List(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// However many causes there are, a few are kept, and no failure is forgotten.
func TestManyCauses(t *testing.T) {
	var f Failures
	for i := range 1000 {
		f.Add(fmt.Errorf("cause %d", i))
	}
	sum := int64(0)
	for _, each := range f.List() {
		sum += each.Count
	}
	if len(f.List()) != maxCauses+1 || sum != 1000 {
		t.Errorf("%d causes of %d failures", len(f.List()), sum)
	}
}

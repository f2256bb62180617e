package total_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/results/internal/total"
)

type usage struct {
	Name  string
	Cores float64
	Count int64
	Most  *int64 `total:"max"`
	Inner *struct{ N int64 }
}

func TestOf(t *testing.T) {
	a := usage{Name: "a", Cores: 1.5, Count: 2, Most: new(int64(7)), Inner: &struct{ N int64 }{1}}
	b := usage{Name: "b", Cores: 1, Count: 3, Most: new(int64(4)), Inner: &struct{ N int64 }{2}}
	got := total.Of(a, b)
	if got.Name != "b" || got.Cores != 2.5 || got.Count != 5 || *got.Most != 7 || got.Inner.N != 3 {
		t.Errorf("got %+v", got)
	}
	if *a.Most != 7 || a.Inner.N != 1 {
		t.Errorf("the first became %+v", a)
	}
	b.Most, b.Inner = nil, nil
	if got := total.Of(total.Of(a, b), a); got.Most != nil || got.Inner != nil || got.Count != 7 {
		t.Errorf("got %+v, want unknown values to stay unknown", got)
	}
}

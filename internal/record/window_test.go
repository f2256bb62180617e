package record

import (
	"testing"
	"time"
)

// An interval belongs to where most of it is, unless it is all that there is of the window.
func TestWhereAnIntervalBelongs(t *testing.T) {
	const second, late = time.Second, 20 * time.Microsecond
	w := Window{second, 11 * second}
	for _, tt := range []struct {
		from, to    time.Duration
		before, has bool
	}{
		{0, second, true, false},
		{0, second + late, true, false},
		{second + late, 2*second + late, false, true},
		{0, 3 * second, false, true}, // the goroutine was held up
		{10*second + late, 11*second + late, false, true},
		{11*second + late, 11*second + 3*late, false, false},
		{0, 12 * second, false, true},
	} {
		if before, has := w.Before(tt.from, tt.to), w.Has(tt.from, tt.to); before != tt.before || has != tt.has {
			t.Errorf("%v to %v: before %v, has %v; want %v, %v", tt.from, tt.to, before, has, tt.before, tt.has)
		}
	}
	if short := (Window{second, second + second/10}); !short.Has(0, second+second/5) {
		t.Error("the only interval of a short window is not in it")
	}
}

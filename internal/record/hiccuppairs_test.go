package record

import (
	"testing"
	"time"
)

// Two of 20 seconds are the worst: 19 and 20 ms. No second has a hiccup of half that.
func TestHiccupsOfTheWorstSeconds(t *testing.T) {
	const seconds = 7200
	var p HiccupPairs
	for second := range time.Duration(seconds) {
		p.Add(time.Millisecond*(1+second%20), time.Millisecond*(second%10))
	}
	tail := p.Tail(10)
	if tail.Intervals != seconds*2/20 || tail.WithHiccup != 0 || tail.Ordinary != seconds*18/20 || tail.OrdinaryWithHiccup != 0 {
		t.Errorf("%+v", tail)
	}
}

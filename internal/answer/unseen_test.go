package answer

import (
	"testing"
	"time"
)

// Pauses of 200 ms that did not come take at most 0.6 s of a window, with 95 % confidence: 2 % of 30 s.
func TestUnseenPausesAreMarked(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		name      string
		window    time.Duration
		p99, most int64
		atLeast   bool
		want      bool
	}{
		{"30 s", 30 * time.Second, ms, 20 * ms, false, true},
		{"2 minutes", 2 * time.Minute, ms, 20 * ms, false, false},
		{"a pause came", 30 * time.Second, ms, 200 * ms, false, false},
		{"as long as a pause", 30 * time.Second, 150 * ms, 199 * ms, false, false},
		{"missing messages", 30 * time.Second, ms, 20 * ms, true, false},
		{"no window", 0, ms, 20 * ms, false, false},
	} {
		list := []Number{{Percentile: 50, NS: new(ms)}, {Percentile: 99, NS: &tt.p99}, {Percentile: 100, NS: &tt.most, AtLeast: tt.atLeast}}
		if unseen(list, tt.window); list[0].Unseen || list[1].Unseen != tt.want || list[2].Unseen {
			t.Errorf("%s: %+v", tt.name, list)
		}
	}
}

package machine

import (
	"testing"
	"time"
)

// The clock of the machine and that of the process go together: what is read lies between two
// readings of the other.
func TestTheHostClockIsTheProcesss(t *testing.T) {
	c, ok := NewHostClock()
	if !ok {
		t.Fatal("there is none on Linux")
	}
	const allowed = int64(time.Millisecond) // of the comparison at the beginning, on a busy machine
	for range 1000 {
		before := c.Now()
		shown, _ := readHostClock()
		after := c.At(time.Now())
		if shown < before-allowed || shown > after+allowed {
			t.Fatalf("it shows %d, and the process says %d to %d", shown, before, after)
		}
	}
}

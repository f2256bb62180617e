package load_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester/load"
)

// While the engine runs there is a processor besides those of the senders, which
// keep theirs while they sleep in the kernel; afterwards all is as it was.
func TestAProcessorIsLeftBesidesTheSenders(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	f := system(t, loopback.Config{})
	for _, senders := range []int{1, before, before + 3} {
		during := 0
		_, err := load.Run(t.Context(), f, load.Config{
			Schedule: constant(100, 50*ms), Size: 16, Connections: senders, Senders: senders,
		}, discard{}, load.Hooks{Started: func(time.Time) { during = runtime.GOMAXPROCS(0) }})
		if err != nil {
			t.Fatal(err)
		}
		if after := runtime.GOMAXPROCS(0); during != max(before, senders+1) || after != before {
			t.Errorf("%d senders: %d processors before, %d during, %d after", senders, before, during, after)
		}
	}
}

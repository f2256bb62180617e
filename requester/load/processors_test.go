package load_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/requester/schedule"
)

// ignored is a recorder that forgets.
type ignored struct{}

func (ignored) Record(load.Op) {}

// While the engine runs there is a processor for each sender that sleeps in the
// kernel; afterwards all is as it was.
func TestSendersGetProcessorsOfTheirOwn(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		t.Fatal(err)
	}
	during := 0
	_, err = load.Run(t.Context(), f, load.Config{
		Schedule: schedule.Spec{Rate: 100, Duration: 50 * time.Millisecond}, Size: 16, Connections: 3, Senders: 3,
	}, ignored{}, load.Hooks{Started: func(time.Time) { during = runtime.GOMAXPROCS(0) }})
	if err != nil {
		t.Fatal(err)
	}
	if after := runtime.GOMAXPROCS(0); during != before+3 || after != before {
		t.Errorf("%d processors before, %d during, %d after; want 3 more during", before, during, after)
	}
}

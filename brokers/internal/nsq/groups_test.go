package nsq

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

// A member that is killed has not finished its last messages, which nsqd delivers to another.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"", "max-in-flight=200&output-buffer-timeout=25ms"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			if missing, twice := brokertest.Mortals(t, running(t, options+"&msg-timeout=1s"), 5*time.Second); missing > 0 {
				t.Errorf("%d messages are missing, %d came twice", missing, twice)
			}
		})
	}
	brokertest.MortalAlone(t, running(t, "msg-timeout=1s"), true)
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	brokertest.Backlog(t, running(t, "max-in-flight=200&output-buffer-timeout=25ms"), requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

func TestGroupsComeBack(t *testing.T) {
	f, p := behind(t, "")
	brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

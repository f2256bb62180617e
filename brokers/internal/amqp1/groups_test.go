package amqp1

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestGroups(t *testing.T) {
	for options, topology := range map[string]requester.Topology{
		"":                         {Topics: 1, Groups: 1, Members: 1},
		"confirm=true&accept=true": {Topics: 1, Groups: 3, Members: 2},
		"durable=true&queue-type=quorum&confirm=true&accept=true": {Topics: 4, Groups: 2, Members: 2},
		"durability=process": {Topics: 2, Groups: 1, Members: 2},
	} {
		t.Run(options, func(t *testing.T) {
			f := running(t, options)
			brokertest.Groups(t, f, topology, 256)
		})
	}
}

func TestAnotherMemberGetsWhatIsNotAcknowledged(t *testing.T) {
	brokertest.MemberEnds(t, running(t, "accept=true"))
}

func TestGroupsComeBack(t *testing.T) {
	for _, options := range []string{"", "durable=true&confirm=true&accept=true"} {
		f, p := brokertest.Behind(t, Open, runningURL(t, "RABBITMQ4"), options)
		brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: 2})
	}
}

func TestABacklogIsDrained(t *testing.T) {
	brokertest.Backlog(t, running(t, "durable=true&confirm=true&accept=true"), requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

// Without acceptance the broker has forgotten what is on its way to a member that is killed.
func TestMembersComeAndGo(t *testing.T) {
	for options, most := range map[string]int{"accept=true": 0, "": 2} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			if missing, twice := brokertest.Mortals(t, running(t, options), 10*time.Second); missing > most || twice > 2 {
				t.Errorf("%d messages are missing, want at most %d; %d came twice", missing, most, twice)
			}
		})
	}
	brokertest.MortalAlone(t, running(t, "durable=true&accept=true"), true)
}

func TestAnotherMemberGetsWhatAKilledOneHeld(t *testing.T) {
	if missing := brokertest.Orphans(t, running(t, "durable=true&accept=true"), brokertest.Patience); missing > 0 {
		t.Errorf("%d messages are missing", missing)
	}
}

func TestASingleActiveConsumer(t *testing.T) {
	members := brokertest.Groups(t, running(t, "durable=true&accept=true&single-active-consumer=true"), requester.Topology{Topics: 1, Groups: 1, Members: 3}, 256)
	if slices.Max(members[0]) != 1000 {
		t.Errorf("messages by member %v", members)
	}
}

package rabbitmq

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestGroups(t *testing.T) {
	for options, topology := range map[string]requester.Topology{
		"":                            {Topics: 1, Groups: 1, Members: 1},
		"prefetch=100":                {Topics: 1, Groups: 3, Members: 2},
		"exchange=topic&confirm=true": {Topics: 4, Groups: 2, Members: 3},
		"durable=true&queue-type=quorum&confirm=true&prefetch=100&exchange=direct": {Topics: 2, Groups: 3, Members: 2},
		"durable=true&persistent=true&separate-connections=true":                   {Topics: 3, Groups: 1, Members: 2},
		"durability=process": {Topics: 2, Groups: 1, Members: 2},
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := running(t, options)
			brokertest.Groups(t, f, topology, 256)
			for number := range 4 {
				name := f.Queue(number)
				if hasQueue(t, name) || hasQueue(t, AuditQueue(name)) || hasExchange(t, name) {
					t.Errorf("%v: queue or exchange %s is left", topology, name)
				}
			}
		})
	}
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	brokertest.Backlog(t, running(t, "durable=true&confirm=true&prefetch=100"), requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

func TestAnotherMemberGetsWhatIsNotAcknowledged(t *testing.T) {
	brokertest.MemberEnds(t, running(t, "prefetch=1000"))
}

func TestGroupsComeBack(t *testing.T) {
	for _, options := range []string{"", "durable=true&confirm=true&prefetch=10&separate-connections=true"} {
		f, p := brokertest.Behind(t, Open, brokertest.URL(t, "RABBITMQ"), options)
		brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: 2})
	}
}

// An exchange goes with the queues.
func TestQueuesOfGroupsAreFound(t *testing.T) {
	api := brokertest.Changed(t, brokertest.URL(t, "RABBITMQ_MANAGEMENT"), func(u *url.URL) { u.User = nil })
	f := running(t, "durability=accepted")
	brokertest.GroupsAreFound(t, f, requester.Topology{Topics: 3, Groups: 2, Members: 2}, requester.LeftoverQuery{Run: f.broker.Run, Management: api},
		f.Queue(0), AuditQueue(f.Queue(0)), f.Queue(1), AuditQueue(f.Queue(1)), AuditQueue(f.Queue(2)))
}

// Without acknowledgements the broker has forgotten what is on its way to a member that is killed.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	for options, most := range map[string]int{"prefetch=100": 0, "prefetch=0": 2, "durable=true&queue-type=quorum&confirm=true&prefetch=100": 0} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			if missing, twice := brokertest.Mortals(t, running(t, options), 10*time.Second); missing > most || twice > 2 {
				t.Errorf("%d messages are missing, want at most %d; %d came twice", missing, most, twice)
			}
		})
	}
	brokertest.MortalAlone(t, running(t, "durable=true&prefetch=100"), true)
}

func TestAnotherMemberGetsWhatAKilledOneHeld(t *testing.T) {
	if missing := brokertest.Orphans(t, running(t, "durable=true&prefetch=100"), brokertest.Patience); missing > 0 {
		t.Errorf("%d messages are missing", missing)
	}
	if missing := brokertest.Orphans(t, running(t, "durable=true&prefetch=0"), 3*time.Second); missing == 0 {
		t.Error("without acknowledgements nothing is missing")
	}
}

// Of the members of a queue with a single active consumer one gets everything until it is killed.
func TestASingleActiveConsumer(t *testing.T) {
	t.Parallel()
	const single = "durable=true&prefetch=100&single-active-consumer=true"
	members := brokertest.Groups(t, running(t, single), requester.Topology{Topics: 1, Groups: 2, Members: 3}, 256)
	for group, n := range members {
		if slices.Max(n) != 1000 {
			t.Errorf("group %d: messages by member %v", group, n)
		}
	}
	if missing, _ := brokertest.Mortals(t, running(t, single), 10*time.Second); missing > 0 {
		t.Errorf("%d messages are missing", missing)
	}
}

package mqtt

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestGroups(t *testing.T) {
	for options, topology := range map[string]requester.Topology{
		"":                         {Topics: 1, Groups: 1, Members: 1},
		"qos=1":                    {Topics: 1, Groups: 3, Members: 2},
		"qos=2":                    {Topics: 4, Groups: 2, Members: 3},
		"qos=0":                    {Topics: 2, Groups: 2, Members: 2},
		"qos=1&audit-session=true": {Topics: 3, Groups: 2, Members: 1},
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			brokertest.Groups(t, running(t, options), topology, 256)
		})
	}
}

func TestGroupsComeBack(t *testing.T) {
	for _, options := range []string{"qos=1"} {
		f, p := brokertest.Behind(t, Open, brokertest.URL(t, "MQTT"), options)
		brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: 2})
	}
}

// Mosquitto has forgotten what is on its way to a member that is killed.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"qos=1", "qos=0", "qos=2"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			if missing, twice := brokertest.Mortals(t, running(t, options), 5*time.Second); missing > 2 || twice > 0 {
				t.Errorf("%d messages are missing, want at most 2; %d came twice", missing, twice)
			}
		})
	}
	brokertest.MortalAlone(t, running(t, "qos=1"), false)
}

// A member that is killed has not acknowledged the last message, which comes again; on a busy machine those of some hundred
// milliseconds. All that are sent in a second are 200.
func TestSessionsStayWhileMembersAreAway(t *testing.T) {
	t.Parallel()
	if twice := brokertest.MortalAlone(t, running(t, "qos=1&persistent-session=true"), true); twice > 100 {
		t.Errorf("%d messages came twice", twice)
	}
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	for options, members := range map[string]int{"qos=1&persistent-session=true": 1, "qos=2&persistent-session=true": 2} {
		f := running(t, options)
		brokertest.Backlog(t, f, requester.Topology{Topics: 2, Groups: 2, Members: members})
		for number := range 2 * members {
			if there, err := f.there(t.Context(), f.member(number)+received); err != nil || there {
				t.Errorf("session %d is left: %t, %v", number, there, err)
			}
		}
	}
	brokertest.WantError(t, running(t, "qos=1").Keeps(), "persistent-session=true")
}

package rabbitstream

import (
	"context"
	"net/url"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

func TestGroups(t *testing.T) {
	for options, topology := range map[string]requester.Topology{
		"":                                {Topics: 1, Groups: 3, Members: 1},
		"batch-size=100&credit-each=true": {Topics: 3, Groups: 2, Members: 1},
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := running(t, options)
			brokertest.Groups(t, f, topology, 256)
			for topic := range topology.Topics {
				err := f.during(context.Background(), 0, func(env *stream.Environment) error {
					if there, err := env.StreamExists(f.stream(topic)); err != nil || there {
						t.Errorf("%v: stream %d is left: %v, %v", topology, topic, there, err)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestAGroupOfSeveralIsRefused(t *testing.T) {
	f, err := Open("rabbitmq-stream://h", "groups")
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantNoGroups(t, f, requester.Topology{Topics: 1, Groups: 1, Members: 2}, "--members 1")
}

func TestGroupsComeBack(t *testing.T) {
	for _, options := range []string{"load-balancer=true"} {
		f, p := brokertest.Behind(t, Open, brokertest.URL(t, "RABBITMQ_STREAM"), options)
		brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: 1})
	}
}

func TestStreamsOfGroupsAreFound(t *testing.T) {
	api := brokertest.Changed(t, brokertest.URL(t, "RABBITMQ_MANAGEMENT"), func(u *url.URL) { u.User = nil })
	f := running(t, "")
	brokertest.GroupsAreFound(t, f, requester.Topology{Topics: 3, Groups: 2, Members: 1}, requester.LeftoverQuery{Run: f.broker.Run, Management: api}, f.stream(0), f.stream(1), f.stream(2))
}

// A member that is killed has not stored the offset of the last messages: they come again.
func TestMembersComeAndGo(t *testing.T) {
	if twice := brokertest.MortalAlone(t, running(t, ""), true); twice == 0 || twice > 900 {
		t.Errorf("%d messages came twice after the kill", twice)
	}
}

func TestABacklog(t *testing.T) {
	brokertest.Backlog(t, running(t, ""), requester.Topology{Topics: 2, Groups: 2, Members: 1})
}

func TestAStreamThatIsTrimmedHasNoBacklog(t *testing.T) {
	f, err := Open("rabbitmq-stream://h?max-length=1000000", "groups")
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantError(t, f.Keeps(), "max-length")
}

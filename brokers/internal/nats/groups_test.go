package nats

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats-server/v2/server"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	for name, query := range map[string]string{"core": "", "stream": "?stream=memory&consumer=pull", "written": "?write-buffer=1"} {
		for _, topology := range []requester.Topology{{Topics: 1, Groups: 1, Members: 1}, {Topics: 1, Groups: 3, Members: 2}, {Topics: 4, Groups: 2, Members: 3}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for g, members := range brokertest.Groups(t, open(t, b, "", query), topology, 256) {
					for m, n := range members {
						if n == 0 {
							t.Errorf("%v: member %d of group %d received nothing", topology, m, g)
						}
					}
				}
			})
		}
	}
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	f, err := Open(fmt.Sprintf("nats://127.0.0.1:%d?stream=file&consumer=pull", b.port), "backlog")
	if err != nil {
		t.Fatal(err)
	}
	brokertest.Backlog(t, f, requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

func TestGroupsNeedAPullConsumer(t *testing.T) {
	f, err := Open("nats://127.0.0.1:1?stream=file", "groups")
	if err != nil {
		t.Fatal(err)
	}
	var refused *requester.TopologyError
	if _, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 2, Members: 1}); !errors.As(err, &refused) {
		t.Fatal(err)
	}
}

// What a member of a queue group had not read when it was killed is lost. From a stream it comes again after
// 30 s, the consumer's AckWait.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	for name, query := range map[string]string{"core": "", "stream": "?stream=memory&consumer=pull"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := Open(fmt.Sprintf("nats://127.0.0.1:%d%s", b.port, query), name)
			if err != nil {
				t.Fatal(err)
			}
			most, patience := 2, 2*time.Second // what is lost does not come
			if name == "stream" {
				most, patience = 0, 40*time.Second
			}
			missing, twice := brokertest.Mortals(t, f, patience)
			if missing > most || twice > 2 {
				t.Errorf("%d messages are missing, want at most %d; %d came twice", missing, most, twice)
			}
		})
	}
}

package kafka

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// groupOptions are the kinds of groups, and messages that come in transactions.
var groupOptions = []string{"", "group-protocol=consumer", "consumer=share", exactly + "20ms"}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, options := range groupOptions {
		for _, topology := range []requester.Topology{{Topics: 1, Groups: 3, Members: 1}, {Topics: 4, Groups: 2, Members: 3}} {
			t.Run(options+" "+topology.String(), func(t *testing.T) {
				t.Parallel()
				f := open(t, brokertest.URL(t, "KAFKA"), options)
				wantAllBusy(t, brokertest.Groups(t, f, topology, 256))
				wantNothing(t, f)
			})
		}
	}
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"", "group-protocol=consumer", "consumer=share"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := open(t, brokertest.URL(t, "KAFKA"), options)
			brokertest.Backlog(t, f, requester.Topology{Topics: 2, Groups: 2, Members: 2})
			wantNothing(t, f)
		})
	}
}

func wantAllBusy(t *testing.T, groups [][]int64) {
	t.Helper()
	for g, members := range groups {
		for m, n := range members {
			if n == 0 {
				t.Errorf("member %d of group %d received nothing", m, g)
			}
		}
	}
}

// A member that was killed stays in its group for the session timeout, 45 s.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, options := range groupOptions[:3] {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := open(t, brokertest.URL(t, "KAFKA"), options)
			f.options.partitions = 6
			t.Cleanup(func() { wantNothing(t, f) }) // after the teardown of all
			if missing, _ := brokertest.Mortals(t, f, time.Minute); missing > 0 {
				t.Errorf("%d messages are missing", missing)
			}
		})
	}
}

// wantNothing wants no topic and no group of f's run in the cluster.
func wantNothing(t *testing.T, f *Factory) {
	t.Helper()
	things, unseen, err := f.Find(context.WithoutCancel(t.Context()), requester.LeftoverQuery{Run: f.Run})
	if err != nil || unseen != "" || len(things) > 0 {
		t.Errorf("left behind: %v, not seen: %s, %v", things, unseen, err)
	}
}

func TestMembersWithoutAPartitionAreRefused(t *testing.T) {
	for options, want := range map[string]map[requester.Topology]string{
		"": {
			{Topics: 1, Groups: 1, Members: 1}: "",
			{Topics: 3, Groups: 1, Members: 3}: "",
			{Topics: 1, Groups: 2, Members: 2}: "1 topic, 2 groups of 2: member 1 of each group (counted from 0) would be idle with partitions=1: set partitions=2, or consumer=share",
			{Topics: 1, Groups: 1, Members: 4}: "1 topic, 1 group of 4: members 1 to 3 of each group (counted from 0) would be idle with partitions=1: set partitions=4, or consumer=share",
		},
		"partitions=2": {
			{Topics: 2, Groups: 1, Members: 4}: "",
			{Topics: 2, Groups: 1, Members: 6}: "2 topics, 1 group of 6: members 4 and 5 of each group (counted from 0) would be idle with partitions=2: set partitions=3, or consumer=share",
		},
		"consumer=share": {{Topics: 1, Groups: 1, Members: 4}: ""},
	} {
		for topology, text := range want {
			_, err := requester.Arrange(open(t, "kafka://h", options), topology)
			var refused *requester.TopologyError
			if text == "" && err != nil || text != "" && (!errors.As(err, &refused) || err.Error() != text) {
				t.Errorf("%s %v: %v, want %q", options, topology, err, text)
			}
		}
	}
}

// The fake cluster, too, has both kinds of consumer groups.
func TestFakeGroups(t *testing.T) {
	t.Parallel()
	for _, options := range groupOptions {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			url, _ := fake(t)
			f := open(t, url, options)
			wantAllBusy(t, brokertest.Groups(t, f, requester.Topology{Topics: 2, Groups: 2, Members: 2}, 64))
			wantNothing(t, f)
		})
	}
}

func TestFakeAnOldBrokerHasNoConsumerProtocol(t *testing.T) {
	url, _ := fake(t, kfake.MaxVersions(kversion.V3_9_0()))
	_, err := open(t, url, "group-protocol=consumer").Describe(t.Context())
	brokertest.WantFault(t, err, `no group protocol "consumer"`, "Kafka 4.0", "leave out group-protocol=consumer")
}

// joined sets up a member of each of two groups, and a producer.
func joined(t *testing.T, f *Factory) (all []requester.Consumer) {
	t.Helper()
	if _, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 2, Members: 1}); err != nil {
		t.Fatal(err)
	}
	for group := range 2 {
		c, err := f.NewConsumer(requester.Member{Group: group}, requester.Replies(func([]byte) {}))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	producer, err := f.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, producer)
	for _, c := range all {
		if err := c.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// What a run leaves is found; while a group has a member it is in use.
func TestGroupsAreFoundAndRemoved(t *testing.T) {
	t.Parallel()
	for _, options := range groupOptions {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := open(t, brokertest.URL(t, "KAFKA"), options)
			query := requester.LeftoverQuery{Run: f.Run}
			all := joined(t, f)
			find := func(busy bool) []requester.Leftover {
				t.Helper()
				things, unseen, err := f.Find(t.Context(), query)
				if err != nil || unseen != "" || len(things) != 3 {
					t.Fatalf("found %v, not seen: %s, %v", things, unseen, err)
				}
				for _, thing := range things[1:] {
					if thing.Kind != f.groupKind() || (thing.Busy != "") != busy {
						t.Errorf("found %+v, want it in use: %v", thing, busy)
					}
				}
				return things
			}
			find(true)
			for _, c := range all {
				c.(*conn).uses = nil // Teardown shall leave it all
				if err := c.Teardown(t.Context()); err != nil {
					t.Error(err)
				}
			}
			things := find(false)
			var names []string
			for _, thing := range things {
				names = append(names, thing.Kind+" "+thing.Name)
			}
			if left := f.Left(); !slices.Equal(left, names) {
				t.Errorf("left %q, want %q", left, names)
			}
			for _, err := range f.Remove(t.Context(), things) {
				if err != nil {
					t.Error(err)
				}
			}
			wantNothing(t, f)
		})
	}
}

// A topic that is deleted while Find watches it is not in use.
func TestFakeATopicThatIsGoneIsNotSeen(t *testing.T) {
	url, _ := fake(t)
	err := open(t, url, "").admin(t.Context(), func(ctx context.Context, admin *kadm.Client) error {
		if _, err := admin.CreateTopic(ctx, 1, 1, nil, "there"); err != nil {
			return err
		}
		seen, err := cluster.Look(ctx, admin, []string{"gone", "there"})
		if _, there := seen["there"]; !there || len(seen) != 1 {
			t.Errorf("seen %v, want only what is there", seen)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A member that was killed has not left its group: its share waits for the session timeout. The last
// connection evicts it, so that the group can be deleted.
func TestAKilledMemberSaysNoGoodbye(t *testing.T) {
	t.Parallel()
	for _, options := range groupOptions[:3] {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			f := open(t, brokertest.URL(t, "KAFKA"), options)
			for i, c := range joined(t, f) {
				if i < 2 {
					c.(requester.Mortal).Kill()
				}
				if i == 2 {
					things, _, err := f.Find(t.Context(), requester.LeftoverQuery{Run: f.Run})
					if err != nil || len(things) != 3 || things[1].Busy == "" || things[2].Busy == "" {
						t.Errorf("found %+v, %v, want members in both groups", things, err)
					}
				}
				if err := c.Teardown(t.Context()); err != nil {
					t.Error(err)
				}
			}
			wantNothing(t, f)
		})
	}
}

// The topic stays until the last connection that uses it is torn down.
func TestFakeTheLastConnectionRemovesTheTopics(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	for i, c := range joined(t, f) {
		if got := topics(t, f); !slices.Equal(got, []string{f.topic(0)}) {
			t.Errorf("before the end of connection %d: topics %v", i, got)
		}
		if err := c.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wantNothing(t, f)
	if left := f.Left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A topic of another run is not deleted, and nothing is measured.
func TestFakeATopicOfAnotherRun(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	makeTopics(t, f, f.wanted(f.topic(0)))
	if _, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 1, Members: 1}); err != nil {
		t.Fatal(err)
	}
	c, err := f.NewConsumer(requester.Member{}, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantFault(t, c.Setup(t.Context()), "another run has this name")
	if err := c.Teardown(t.Context()); err != nil {
		t.Error(err)
	}
	if got := topics(t, f); !slices.Equal(got, []string{f.topic(0)}) {
		t.Errorf("topics %v", got)
	}
}

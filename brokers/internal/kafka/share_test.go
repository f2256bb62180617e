package kafka

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

var sharedOptions = []string{"consumer=share", "consumer=share&partitions=3&acks=all&compression=lz4", "consumer=share&" + exactly + "20ms"}

func TestShareGroupsConform(t *testing.T) {
	longtest.Only(t) // to join takes seconds
	requestertest.Run(t, running(t, "consumer=share"))
}

func TestShareGroupsRoundTrip(t *testing.T) {
	for _, options := range sharedOptions {
		t.Run(options, func(t *testing.T) {
			t.Parallel() // to join takes seconds
			testSizes(t, open(t, brokertest.URL(t, "KAFKA"), options))
		})
	}
}

func TestFakeShareGroupsRoundTrip(t *testing.T) {
	for _, options := range sharedOptions {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			url, _ := fake(t)
			testSizes(t, open(t, url, options))
		})
	}
}

// groups returns the share groups of f's run, and those that still have settings.
func groups(t testing.TB, f *Factory) (names, configured []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), brokertest.Patience)
	defer cancel()
	err := f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		all, err := admin.ListGroupsByType(ctx, []string{cluster.Share})
		if err != nil {
			return err
		}
		resources, err := admin.ListConfigResources(ctx, kadm.ConfigResourceGroupConfig)
		for _, r := range resources.Resources {
			configured = append(configured, r.Name)
		}
		names = all.Groups()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	other := func(name string) bool { return !strings.HasPrefix(name, "brokerbench."+f.Run+".") }
	return slices.DeleteFunc(names, other), slices.DeleteFunc(configured, other)
}

func TestTeardownLeavesNoShareGroup(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "consumer=share")
	l := requestertest.Connect(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 1, 64))
	if names, configured := groups(t, f); len(names) != 1 || len(configured) != 1 {
		t.Errorf("groups %v, with settings %v, want one", names, configured)
	}
	l.End(t)
	if names, configured := groups(t, f); len(names)+len(configured) > 0 {
		t.Errorf("left behind: groups %v, settings of %v", names, configured)
	}
	if left := l.Requester.(*conn).Left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What a run leaves is found; while it has a member it is in use.
func TestShareGroupsAreFoundAndRemoved(t *testing.T) {
	url := brokertest.URL(t, "KAFKA")
	f := open(t, url, "consumer=share")
	l := requestertest.Connect(t, f, 0)
	query := requester.LeftoverQuery{}
	find := func() (group requester.Leftover) {
		t.Helper()
		things, unseen, err := f.Find(t.Context(), query)
		if err != nil || unseen != "" {
			t.Fatal(unseen, err)
		}
		for _, thing := range things {
			if thing.Kind == shareKind && thing.Name == f.topic(0) {
				return thing
			}
		}
		t.Fatalf("not found among %v", things)
		return group
	}
	if group := find(); !strings.Contains(group.Busy, "members") {
		t.Errorf("in use: %+v", group)
	}
	c := l.Requester.(*conn)
	c.created = false // Teardown shall leave it all
	l.End(t)
	if left := c.Left(); len(left) != 2 || left[1] != "share group "+f.topic(0) {
		t.Errorf("left: %v", left)
	}
	group := find()
	if group.Busy != "" {
		t.Errorf("after the end: %+v", group)
	}
	for _, err := range f.Remove(t.Context(), []requester.Leftover{group, {Kind: topicKind, Name: f.topic(0)}}) {
		if err != nil {
			t.Error(err)
		}
	}
	if names, configured := groups(t, f); len(names)+len(configured)+len(topics(t, f)) > 0 {
		t.Errorf("left behind: groups %v, settings of %v", names, configured)
	}
}

func TestFakeAnOldBrokerHasNoShareGroups(t *testing.T) {
	for _, versions := range []*kversion.Versions{kversion.V3_9_0(), kversion.V4_0_0()} {
		url, _ := fake(t, kfake.MaxVersions(versions))
		f := open(t, url, "consumer=share")
		_, err := f.Describe(t.Context())
		brokertest.WantFault(t, err, "no share groups", "Kafka 4.2", "consumer=direct")
		l := requestertest.NewLink(t, f, 0)
		brokertest.WantFault(t, l.Begin(), "Kafka 4.2")
		l.End(t)
		if left := topics(t, f); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

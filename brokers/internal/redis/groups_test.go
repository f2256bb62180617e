package redis

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestGroups(t *testing.T) {
	for options, topologies := range map[string][]requester.Topology{
		"":                          {{Topics: 1, Groups: 1, Members: 1}, {Topics: 4, Groups: 3, Members: 1}},
		"stream=group":              {{Topics: 1, Groups: 1, Members: 1}, {Topics: 1, Groups: 3, Members: 2}, {Topics: 4, Groups: 2, Members: 3}},
		"stream=group&protocol=3":   {{Topics: 2, Groups: 2, Members: 2}},
		"stream=group&read-count=1": {{Topics: 2, Groups: 2, Members: 2}},
	} {
		for _, topology := range topologies {
			t.Run(options, func(t *testing.T) {
				t.Parallel()
				f := openURL(t, serve(t).url("", "?"+options))
				brokertest.Groups(t, f, topology, 256)
				if n := keys(t, f); n > 0 {
					t.Errorf("%v: %d streams are left", topology, n)
				}
			})
		}
	}
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	brokertest.Backlog(t, openURL(t, serve(t).url("", "?stream=group")), requester.Topology{Topics: 2, Groups: 2, Members: 2})
}

func TestGroupsOfChannelsAndReadersAreRefused(t *testing.T) {
	two := requester.Topology{Topics: 1, Groups: 2, Members: 2}
	brokertest.WantNoGroups(t, openURL(t, "redis://h"), two, "stream=group")
	brokertest.WantNoGroups(t, openURL(t, "redis://h?stream=read"), requester.Topology{Topics: 1, Groups: 2, Members: 1}, "stream=group")
}

func TestGroupsComeBack(t *testing.T) {
	for options, members := range map[string]int{"": 1, "stream=group": 2} {
		f, p := brokertest.Behind(t, Open, brokertest.URL(t, "REDIS"), options)
		brokertest.GroupsComeBack(t, f, p, requester.Topology{Topics: 2, Groups: 2, Members: members})
	}
}

func TestStreamsOfGroupsAreFound(t *testing.T) {
	f := openURL(t, serve(t).url("", "?stream=group"))
	brokertest.GroupsAreFound(t, f, requester.Topology{Topics: 3, Groups: 2, Members: 2}, requester.LeftoverQuery{Run: f.Run}, f.channel(0), f.channel(1), f.channel(2))
}

// What is on its way to a member of a channel that is killed is lost, and nothing is kept while it is away.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		f := openURL(t, serve(t).url("", "?stream=group&claim-idle=1s"))
		if missing, twice := brokertest.Mortals(t, f, 10*time.Second); missing > 0 || twice > 0 {
			t.Errorf("%d messages are missing, %d came twice", missing, twice)
		}
	})
	for options, kept := range map[string]bool{"?stream=group": true, "": false} {
		t.Run("alone"+options, func(t *testing.T) {
			t.Parallel()
			brokertest.MortalAlone(t, openURL(t, serve(t).url("", options)), kept)
		})
	}
}

func TestAnotherMemberClaimsWhatIsNotAcknowledged(t *testing.T) {
	s := serve(t)
	if missing := brokertest.Orphans(t, openURL(t, s.url("", "?stream=group&claim-idle=500ms")), brokertest.Patience); missing > 0 {
		t.Errorf("%d messages are missing", missing)
	}
	if missing := brokertest.Orphans(t, openURL(t, s.url("", "?stream=group")), 15*time.Second); missing > 0 { // half of the default of --timeout
		t.Errorf("with the default of claim-idle %d messages are missing", missing)
	}
	if missing := brokertest.Orphans(t, openURL(t, s.url("", "?stream=group&claim-idle=0")), 3*time.Second); missing == 0 {
		t.Error("without claims nothing is missing")
	}
}

// Before Redis 6.2 there are no claims. A group of several members then needs claim-idle=0.
func TestAServerWithoutClaims(t *testing.T) {
	s := serve(t, "--rename-command", "XAUTOCLAIM", "")
	join := func(options string) error {
		g, err := requester.Arrange(openURL(t, s.url("", options)), requester.Topology{Topics: 1, Groups: 1, Members: 2})
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.NewConsumer(requester.Member{}, requester.Replies(func([]byte) {}))
		if err != nil {
			t.Fatal(err)
		}
		return errors.Join(c.Setup(t.Context()), c.Teardown(t.Context()))
	}
	brokertest.WantFault(t, join("?stream=group"), "unknown command", "Redis 6.2", "claim-idle=0")
	if err := join("?stream=group&claim-idle=0"); err != nil {
		t.Error(err)
	}
}

// A member whose connection is lost departs at once, and does not wait until the server is back.
func TestAMemberDepartsWhileItReconnects(t *testing.T) {
	f, p := brokertest.Behind(t, Open, brokertest.URL(t, "REDIS"), "stream=group")
	g, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 1, Members: 2})
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan string, 100)
	c, err := g.NewConsumer(requester.Member{}, requester.Sink{Reply: func([]byte) {}, Acked: func([]byte) {}, Failed: func([]byte, error) {}, Event: func(text string) { lost <- text }})
	if err == nil {
		err = c.Setup(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Refuse(true)
	p.Cut(true)
	<-lost
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := c.(requester.Mortal).Depart(ctx); err != nil {
		t.Errorf("Depart: %v", err)
	}
	p.Refuse(false)
	if err := c.Teardown(t.Context()); err != nil {
		t.Error(err)
	}
}

package brokers

import (
	"context"
	"errors"
	"net/url"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Abilities are what brokerbench can do with a broker besides the round trip of a message.
type Abilities struct {
	Options      string `json:"options"` // of the mode, as the query of a URL; "" is none
	Acknowledges bool   `json:"acknowledges"`
	Groups       bool   `json:"groups"`
	Members      bool   `json:"members"` // a group may have several
	Backlog      bool   `json:"backlog"` // a group keeps messages while its members are away
	Keys         bool   `json:"keys"`
	KeyedTopics  bool   `json:"keyed_topics"` // keys with groups
	Headers      bool   `json:"headers"`
	Audit        bool   `json:"audit"`
	Leader       bool   `json:"leader"` // brokerbench finds the node that leads
	Clean        bool   `json:"clean"`  // brokerbench finds and removes what runs left behind
}

// Abilities returns those of the broker without options, and then those in each of its Modes. Factories that connect
// to nothing answer. It returns none if targets are commands, which have to run to answer. An error is a mistake in
// the table.
func (b Broker) Abilities() (all []Abilities, err error) {
	if t, _ := target.Parse(b.Example); t.Command != "" {
		return nil, nil
	}
	for _, options := range append([]string{""}, b.Modes...) {
		one, wrong := mode{b, options}.abilities()
		all, err = append(all, one), errors.Join(err, wrong)
	}
	return all, err
}

// Levels returns the levels of durability that a target may ask for, the weakest first; none if the broker has none.
// Whether a server backs them is its own matter.
func (b Broker) Levels() (levels []requester.Durability) {
	if b.Durability == nil {
		return nil
	}
	for _, level := range requester.Durabilities() {
		if _, err := (mode{b, "durability=" + string(level)}).open(); err == nil {
			levels = append(levels, level)
		}
	}
	return levels
}

// A mode is a broker with options.
type mode struct {
	broker  Broker
	options string
}

func (m mode) abilities() (a Abilities, err error) {
	a.Options = m.options
	f, err := m.open()
	if err != nil {
		return a, err
	}
	connection, err := f.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		return a, err
	}
	a.Acknowledges = connection.Traits().Acknowledges
	ended, end := context.WithCancel(context.Background())
	end() // before anything is asked over the network
	if auditor, ok := requester.As[requester.Auditor](f); ok {
		a.Audit = !errors.Is(auditor.Audit(ended, func([]byte) {}), requester.ErrKeepsNothing)
	}
	if finder, ok := requester.As[requester.LeaderFinder](f); ok {
		_, err := finder.Leadership(ended, 0)
		a.Leader = !errors.Is(err, requester.ErrNoLeader)
	}
	_, a.Clean = requester.As[requester.Sweeper](f)
	a.Headers = m.takes(func(f requester.Factory) error { return requester.Carry(f, requester.Headers{Stamp: true}) })
	m.probeGroups(&a)
	return a, nil
}

// probeGroups asks for groups, and for keys without and with them.
func (m mode) probeGroups(a *Abilities) {
	keys := requester.Keys{Names: []string{"k"}, Of: func(uint32, uint64) int { return 0 }}
	one := requester.Topology{Topics: 2, Groups: 2, Members: 1}
	several := requester.Topology{Topics: 2, Groups: 2, Members: 2}
	arranged := func(t requester.Topology, then func(f requester.Factory) error) bool {
		return m.takes(func(f requester.Factory) error {
			if _, err := requester.Arrange(f, t); err != nil {
				return err
			}
			return then(f)
		})
	}
	nothing := func(requester.Factory) error { return nil }
	key := func(f requester.Factory) error { return requester.Key(f, keys) }
	a.Groups, a.Members = arranged(one, nothing), arranged(several, nothing)
	a.Backlog = arranged(one, func(f requester.Factory) error { return requester.Keep(f, one) })
	a.Keys, a.KeyedTopics = m.takes(key), arranged(one, key)
}

// takes reports whether a new factory of the mode takes what give gives it.
func (m mode) takes(give func(requester.Factory) error) bool {
	f, err := m.open()
	return err == nil && give(f) == nil
}

// open returns a factory of the mode, each time a new one, at the address of the broker's example.
func (m mode) open() (requester.Factory, error) {
	t, err := target.Parse(m.broker.Example)
	if err == nil {
		t.Query, err = url.ParseQuery(m.options)
	}
	if err != nil {
		return nil, err
	}
	return m.broker.Open(t, "abilities")
}

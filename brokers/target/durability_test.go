package target_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// lasting are the options of a broker that has levels of durability.
type lasting struct {
	durable target.Durable
	store   string
	copies  int
}

func lastingLevels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "store=no"},
		{Durability: requester.Process, Options: "store=file"},
		{Durability: requester.Node, Options: "store=file&copies=3"},
	}
}

func (l *lasting) define(o target.Options) {
	o.Choice(&l.store, "store", "no", []string{"no", "memory", "file"}, "where")
	o.IntVar(&l.copies, "copies", 1, "how many")
	l.durable.Define(o, lastingLevels())
}

func (l *lasting) backs() requester.Durability {
	switch {
	case l.store == "no":
		return requester.None
	case l.store == "memory":
		return requester.Accepted
	case l.copies > 2:
		return requester.Node
	}
	return requester.Machine
}

func readLasting(t *testing.T, query string) (*lasting, error) {
	t.Helper()
	url, err := target.Parse("x://h?" + query)
	if err != nil {
		t.Fatal(err)
	}
	l := new(lasting)
	_, err = target.Form{
		Broker: "x", Schemes: []string{"x", "xs"}, Define: l.define, Durable: &l.durable,
		Check: func() error { return l.durable.Check(l.backs()) },
	}.Read(url, "run")
	return l, err
}

// A level sets what it needs and the URL does not; what contradicts it is refused with
// what it needs.
func TestALevelSetsOptions(t *testing.T) {
	for _, c := range []struct {
		query, store string
		copies       int
		says         string // of the error
	}{
		{query: "", store: "no", copies: 1},
		{query: "store=file", store: "file", copies: 1},
		{query: "durability=process", store: "file", copies: 1},
		{query: "durability=node", store: "file", copies: 3},
		{query: "durability=node&copies=5", store: "file", copies: 5},
		{query: "durability=process&store=memory", says: "option durability=process: the other options back accepted at most; it needs store=file"},
		{query: "durability=node&copies=1", says: "back machine at most; it needs copies=3, store=file"},
		{query: "durability=none&store=file", says: "option durability=none: the other options have messages acknowledged, at machine; none needs store=no"},
		{query: "durability=disk", says: "want as-set, none, process, node"},
	} {
		got, err := readLasting(t, c.query)
		switch {
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.query, err, c.says)
		case c.says == "" && (err != nil || got.store != c.store || got.copies != c.copies):
			t.Errorf("%s: %+v %v", c.query, got, err)
		}
	}
}

// What the broker says lowers the level, and is refused if that is less than was asked
// for. What it does not say is noted, and believed only if it was asked for.
func TestBack(t *testing.T) {
	off := target.Limit{Level: requester.Accepted, Because: "sync is off", Remedy: "sync on"}
	slow := target.Limit{Level: requester.Process, Because: "sync is slow"}
	unknown := target.Limit{Level: requester.Process, Because: "sync is not known", Unknown: true}
	for _, c := range []struct {
		query       string
		limits      []target.Limit
		level       requester.Durability
		limit       string
		notVerified []string
		fails       string
	}{
		{query: "store=file", level: requester.Machine},
		{query: "store=file", limits: []target.Limit{slow, off}, level: requester.Accepted, limit: "sync is off"},
		{query: "store=file", limits: []target.Limit{off, slow}, level: requester.Accepted, limit: "sync is off"},
		{query: "store=file", limits: []target.Limit{unknown}, level: requester.Process, limit: "sync is not known"},
		{query: "durability=process", level: requester.Machine},
		{query: "durability=process", limits: []target.Limit{unknown}, level: requester.Process, limit: "sync is not known"},
		{query: "durability=process", limits: []target.Limit{off}, fails: "the broker does not back durability=process: sync is off, which backs accepted at most (sync on, or measure anyway with durability-check=false)"},
		{query: "durability=node", limits: []target.Limit{off, slow, unknown}, fails: "sync is off and sync is slow, which back accepted at most (sync on, or measure"},
		{query: "durability=process&durability-check=false", limits: []target.Limit{off}, level: requester.Accepted, limit: "sync is off"},
		{query: "durability=node", limits: []target.Limit{unknown}, level: requester.Node, notVerified: []string{"sync is not known"}},
		{query: "durability=node", limits: []target.Limit{unknown, off}, fails: "sync is off"},
		{query: "durability=node", limits: []target.Limit{slow}, fails: "sync is slow, which backs process at most (measure anyway with durability-check=false)"},
	} {
		l, err := readLasting(t, c.query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.durable.Back(l.backs(), c.limits...)
		if c.fails != "" {
			var fault *target.Fault
			err = target.Explain(target.Target{Scheme: "x"}, "asking", err)
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s %v: %v, want %q", c.query, c.limits, err, c.fails)
			}
			continue
		}
		if err != nil || got.Level != c.level || got.Limit != c.limit || !slices.Equal(got.NotVerified, c.notVerified) {
			t.Errorf("%s %v: %+v %v", c.query, c.limits, got, err)
		}
	}
}

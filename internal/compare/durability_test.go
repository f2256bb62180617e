package compare_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func backing(level, asked requester.Durability) func(*results.Cell) {
	return func(c *results.Cell) { c.Broker.Durability = &requester.Backing{Level: level, Asked: asked} }
}

// Different products need the same level, whatever their settings are called; the same
// product needs the same settings, too.
func TestDurabilityDecidesWhatIsEqual(t *testing.T) {
	const process, machine, accepted = requester.Process, requester.Machine, requester.Accepted
	nats, kafka, file, acks := target("nats", "NATS"), target("kafka", "Kafka"), with("stream", "file"), with("acks", "1")
	for _, c := range []struct {
		name       string
		base, next []func(*results.Cell)
		unequal    string // "": they are equal
	}{
		{"the same level", []func(*results.Cell){nats, file, backing(process, "")}, []func(*results.Cell){kafka, acks, backing(process, "")}, ""},
		{"the same level asked for", []func(*results.Cell){nats, file, backing(machine, process)}, []func(*results.Cell){kafka, acks, backing(process, process)}, ""},
		{
			"asked for and not backed",
			[]func(*results.Cell){nats, backing(accepted, process)},
			[]func(*results.Cell){kafka, backing(process, process)},
			"nats → kafka: durability accepted against process",
		},
		{
			"other levels",
			[]func(*results.Cell){nats, file, backing(process, "")},
			[]func(*results.Cell){kafka, acks, backing(machine, "")},
			"nats → kafka: durability process against machine",
		},
		{
			"the same level and twice the work",
			[]func(*results.Cell){nats, file, backing(process, "")},
			[]func(*results.Cell){kafka, acks, backing(process, ""), with("audit-session", "true")},
			"nats → kafka: audit-session false against true",
		},
		{"no level on one side", []func(*results.Cell){nats, file}, []func(*results.Cell){kafka, acks, backing(process, "")}, "nats → kafka: acks 0 against 1"},
		{"one product, other settings", []func(*results.Cell){nats, file, backing(process, process)}, []func(*results.Cell){nats, with("stream", "memory"), backing(process, process)}, "nats: stream file against memory"},
		{"one product, other servers", []func(*results.Cell){nats, file, backing(process, "")}, []func(*results.Cell){nats, file, backing(machine, "")}, "nats: durability process against machine"},
	} {
		_, err := compare.Compare(set(three(1, c.base...)...), set(three(1, c.next...)...), compare.Options{By: compare.ByShape, Decisive: decisive()})
		var refused *compare.RefusedError
		switch {
		case c.unequal == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.unequal != "" && (!errors.As(err, &refused) || refused.Unequal[0].String() != c.unequal):
			t.Errorf("%s: %v, want %s", c.name, err, c.unequal)
		}
	}
}

// Repeats that were measured at different levels are no repeats of each other, whichever of
// them is the first.
func TestEveryRepeatKeepsTheSame(t *testing.T) {
	machine := three(1, backing(requester.Machine, ""))
	mixed := three(1, backing(requester.Machine, ""))
	mixed[2] = made(3, 1, backing(requester.Accepted, ""))
	other := three(1, backing(requester.Machine, ""))
	other[1] = made(2, 1, backing(requester.Machine, ""), with("acks", "all"))
	id := func(repeat int) string { return mixed[repeat-1].Cell.Plan.String() }
	for _, c := range []struct {
		name       string
		base, next []compare.Trial
		want       string
	}{
		{"base", mixed, machine, id(1) + " → " + id(3) + ": durability machine against accepted"},
		{"new", machine, mixed, id(1) + " → " + id(3) + ": durability machine against accepted"},
		{"both, alike", mixed, mixed, id(1) + " → " + id(3) + ": durability machine against accepted"},
		{"a setting", machine, other, id(1) + " → " + id(2) + ": acks 0 against all"},
	} {
		_, err := compare.Compare(set(c.base...), set(c.next...), compare.Options{Decisive: decisive()})
		var refused *compare.RefusedError
		if !errors.As(err, &refused) || len(refused.Unequal) != 1 || refused.Unequal[0].String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	elsewhere := set(mixed[2])
	elsewhere.Dir, elsewhere.Trials[0].Dir = "b", "b"
	if _, err := compare.Join(decisive(), set(machine...), elsewhere); err == nil || !strings.Contains(err.Error(), "durability machine against accepted") {
		t.Errorf("joined: %v", err)
	}
}

// By which settings different products keep a level, and what nobody could verify, is listed.
func TestHowALevelIsKeptIsListed(t *testing.T) {
	guessed := func(c *results.Cell) {
		c.Broker.Durability = &requester.Backing{Level: requester.Process, Asked: requester.Process, NotVerified: []string{"x is not known"}}
	}
	base := set(three(1, target("nats", "NATS"), with("replicas", "3"), backing(requester.Node, requester.Process))...)
	next := set(three(1, target("kafka", "Kafka"), with("acks", "1"), guessed)...)
	var got []string
	for _, d := range compared(t, base, next, compare.Options{By: compare.ByShape}).Differences {
		got = append(got, d.String())
	}
	for _, want := range []string{"nats → kafka: replicas 3 against -", "nats → kafka: acks - against 1", "nats → kafka: durability not verified - against x is not known"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

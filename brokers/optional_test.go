package brokers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester"
)

// A broker that no longer has a method of an optional interface, or has it with another signature, would
// lose the feature without an error.
func TestEachBrokerHasItsOptionalInterfaces(t *testing.T) {
	const describer, auditor, sweeper, echoer, leaders, measurer = 1, 2, 4, 8, 16, 32
	for name, want := range map[string]int{
		"nats": describer | auditor | sweeper | echoer | leaders, "redis": describer | auditor | sweeper | echoer | leaders,
		"rabbitmq": describer | auditor | sweeper | echoer | leaders, "amqp1": describer | auditor | sweeper | leaders,
		"rabbitmq-stream": describer | auditor | sweeper | leaders, "kafka": describer | auditor | sweeper | echoer | leaders | measurer,
		"mqtt": describer | auditor | sweeper | echoer,
	} {
		b, err := brokers.All().ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := brokers.All().Parse(b.Example)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parsed.Open("run")
		if err != nil {
			t.Fatal(err)
		}
		got := has[requester.Describer](f)*describer | has[requester.Auditor](f)*auditor | has[requester.Sweeper](f)*sweeper |
			has[requester.Echoer](f)*echoer | has[requester.LeaderFinder](f)*leaders | has[requester.Measurer](f)*measurer
		if got != want {
			t.Errorf("%s has the optional interfaces %06b, want %06b", name, got, want)
		}
	}
}

// Each mode of the table has an ability that the broker lacks without it.
func TestModesHaveMoreAbilities(t *testing.T) {
	for _, b := range brokers.All() {
		all, err := b.Abilities()
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
		for i := range all {
			plain, with := all[0], all[i]
			if plain.Options = with.Options; i > 0 && plain == with {
				t.Errorf("%s?%s has the abilities of %s", b.Name, with.Options, b.Name)
			}
		}
	}
}

func TestAbilities(t *testing.T) {
	for name, want := range map[string][]brokers.Abilities{
		"redis": {
			{Groups: true, Leader: true, Clean: true},
			{Options: "stream=group", Acknowledges: true, Groups: true, Members: true, Backlog: true, KeyedTopics: true, Headers: true, Audit: true, Leader: true, Clean: true},
		},
		"kafka":    {{Acknowledges: true, Groups: true, Members: true, Backlog: true, Keys: true, KeyedTopics: true, Headers: true, Audit: true, Leader: true, Clean: true}},
		"http":     {{}},
		"grpc":     {{}},
		"loopback": {{Groups: true, Members: true, Keys: true, KeyedTopics: true, Headers: true}},
		"exec":     nil, // it would have to run a command
	} {
		b, err := brokers.All().ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.Abilities(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	wrong := brokers.All()[0]
	wrong.Modes = []string{"no-such-option=1"}
	if _, err := wrong.Abilities(); err == nil || !strings.Contains(err.Error(), "no-such-option") {
		t.Errorf("a mode with an option that is not there: %v", err)
	}
}

func TestLevelsThatMayBeAskedFor(t *testing.T) {
	for name, want := range map[string][]requester.Durability{
		"nats": requester.Durabilities(), "kafka": requester.Durabilities(), "nsq": {requester.None, requester.Accepted}, "http": nil, "grpc": nil,
	} {
		b, err := brokers.All().ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Levels(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func has[T any](f requester.Factory) int {
	if _, ok := requester.As[T](f); ok {
		return 1
	}
	return 0
}

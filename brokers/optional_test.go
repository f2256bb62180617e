package brokers_test

import (
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

func has[T any](f requester.Factory) int {
	if _, ok := requester.As[T](f); ok {
		return 1
	}
	return 0
}

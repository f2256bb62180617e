package planning

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

// usual returns the URL that a target stands for; see [brokers.Table.Usual].
func usual(s command.Streams, text string) string {
	return s.Brokers.Usual(text, command.Lookup(s.Environ))
}

// running parses a target that must be there already.
func running(s command.Streams, text string) (brokers.Target, error) {
	if testbed.IsLocal(text) {
		return brokers.Target{}, fmt.Errorf("target %s: a run starts such a broker for itself, and leaves nothing of it: want one that runs", text)
	}
	return s.Brokers.Parse(usual(s, text))
}

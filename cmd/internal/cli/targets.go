package cli

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/system/local"
)

// targets are the parsed targets of a plan, by their URL: what travels in the plan
// is the URL, which is plain data.
type targets struct {
	table  brokers.Table
	parsed map[string]brokers.Target
}

func newTargets(table brokers.Table) targets {
	return targets{table, make(map[string]brokers.Target)}
}

// parse parses a URL and returns the name of its broker.
func (t targets) parse(url string) (broker string, err error) {
	if local.Is(url) {
		return t.parseLocal(url)
	}
	parsed, err := t.table.Parse(url)
	if err != nil {
		return "", err
	}
	t.parsed[url] = parsed
	return parsed.Broker.Name, nil
}

// parseLocal parses the URL of a broker that brokerbench is to start. Until it is started, one
// at its usual port stands for it.
func (t targets) parseLocal(url string) (broker string, err error) {
	ready, err := local.Parse(url)
	if err != nil {
		return "", err
	}
	if t.parsed[url], err = t.table.Parse(ready.Sample()); err != nil {
		return "", fmt.Errorf("local:%s: %w", ready.Name, err)
	}
	return ready.Name, nil
}

// usual returns the URL that a target stands for; see [brokers.Table.Usual].
func (s Streams) usual(text string) string { return s.Brokers.Usual(text, lookup(s.Environ)) }

// running parses a target that must be there already.
func (s Streams) running(text string) (brokers.Target, error) {
	if local.Is(text) {
		return brokers.Target{}, fmt.Errorf("target %s: a run starts such a broker for itself, and leaves nothing of it: want one that runs", text)
	}
	return s.Brokers.Parse(s.usual(text))
}

// shared implements measure.Runner.Shared.
func (t targets) shared(target plan.Target) bool { return t.parsed[target.URL].Local() }

// started tells whether a plan has targets that brokerbench starts.
func (t targets) started(p plan.Plan) bool {
	return slices.ContainsFunc(p.Targets, (&systems{targets: t}).Starts)
}

// sockets returns how many sockets one connection takes to the most demanding of
// these targets; 0 is as many as most do.
func (t targets) sockets(measured []plan.Target) (most int) {
	for _, target := range measured {
		most = max(most, t.parsed[target.URL].Broker.Sockets)
	}
	return most
}

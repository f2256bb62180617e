package cli

import (
	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// targets are the parsed targets of a plan, by their URL: what travels in the plan
// is the URL, which is plain data.
type targets map[string]brokers.Target

// parse parses a URL and returns the name of its broker.
func (t targets) parse(url string) (broker string, err error) {
	parsed, err := brokers.Parse(url)
	if err != nil {
		return "", err
	}
	t[url] = parsed
	return parsed.Broker.Name, nil
}

// open implements measure.Runner.Open.
func (t targets) open(target plan.Target, run string) (requester.Factory, error) {
	return t[target.URL].Open(run)
}

// shared implements measure.Runner.Shared.
func (t targets) shared(target plan.Target) bool { return t[target.URL].Local() }

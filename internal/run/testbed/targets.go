package testbed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/plan"
)

// Targets are the parsed targets of a plan, by URL: the plan itself holds the URL, which
// is plain data.
type Targets struct {
	Table  brokers.Table
	Parsed map[string]brokers.Target
}

// NewTargets returns no targets yet.
func NewTargets(table brokers.Table) Targets {
	return Targets{table, make(map[string]brokers.Target)}
}

// IsLocal reports whether brokerbench starts the broker of a URL.
func IsLocal(url string) bool { return strings.HasPrefix(url, "local:") }

// Parse parses a URL and returns the name of its broker.
func (t Targets) Parse(url string) (broker string, err error) {
	if IsLocal(url) {
		return t.parseLocal(url)
	}
	parsed, err := t.Table.Parse(url)
	if err != nil {
		return "", err
	}
	t.Parsed[url] = parsed
	return parsed.Broker.Name, nil
}

// parseLocal parses the URL of a broker that brokerbench starts. Until it is started, one
// at its usual port stands for it.
func (t Targets) parseLocal(url string) (broker string, err error) {
	parse := linked().systems.Parse
	if parse == nil {
		return "", fmt.Errorf("%s: %w", url, errNoSystems)
	}
	broker, usual, err := parse(url)
	if err != nil {
		return "", err
	}
	if t.Parsed[url], err = t.Table.Parse(usual); err != nil {
		return "", fmt.Errorf("local:%s: %w", broker, err)
	}
	return broker, nil
}

// Shared reports whether a target is on this machine.
func (t Targets) Shared(target plan.Target) bool { return t.Parsed[target.URL].Local() }

// Started reports whether a plan has targets that brokerbench starts.
func Started(p plan.Plan) bool {
	starts := linked().systems.Starts
	return starts != nil && slices.ContainsFunc(p.Targets, starts)
}

// Sockets returns how many sockets one connection takes to the most demanding of
// these targets; 0 is as many as most do.
func (t Targets) Sockets(measured []plan.Target) (most int) {
	for _, target := range measured {
		most = max(most, t.Parsed[target.URL].Broker.Sockets)
	}
	return most
}

// CheckFaults returns every reason, as far as it is known before the run, why a fault of the
// plan cannot or must not happen: it may break a system that brokerbench did not start only if
// allow is true.
func (t Targets) CheckFaults(p plan.Plan, allow bool) error {
	check := linked().faults.Check
	var errs []error
	for _, f := range p.Settings.Faults {
		if check == nil {
			return fmt.Errorf("fault %v: %w", f, errNoFaults)
		}
		for _, one := range p.Targets {
			if err := check(t, f, one, allow); err != nil {
				errs = append(errs, fmt.Errorf("fault %v: target %s: %w", f, one.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// hosts returns the hosts of a target as nodes with an address and nothing else.
func (t Targets) hosts(of plan.Target) (s plan.System) {
	for i, addr := range t.Parsed[of.URL].Nodes() {
		s.Nodes = append(s.Nodes, plan.Node{Name: fmt.Sprint(i + 1), Address: addr})
	}
	return s
}

// system returns how a target is run, as far as that is known before it is started.
func (t Targets) system(of plan.Target) (s plan.System, known bool) {
	w := linked().systems
	switch {
	case w.New == nil:
	case IsLocal(of.URL):
		return w.System(of.URL), true
	case of.System != nil:
		return w.Addressed(t, of), true
	}
	return t.hosts(of), false
}

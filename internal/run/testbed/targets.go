package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// Targets are the parsed targets of a plan, by URL: the plan itself holds the URL, which
// is plain data.
type Targets struct {
	Table  brokers.Table
	Parsed map[string]Target
}

// A Target is one that was parsed.
type Target struct {
	brokers.Target

	local readyMade // zero of a broker that runs already
}

// A readyMade is a broker that brokerbench starts: its name, and the facts known before it runs.
type readyMade struct {
	name      string
	system    plan.System
	networked bool  // it needs a separate network
	disks     error // why its nodes have no separate disks
}

// NewTargets returns no targets yet.
func NewTargets(table brokers.Table) Targets {
	return Targets{table, make(map[string]Target)}
}

// IsLocal reports whether brokerbench starts the broker of a URL.
func IsLocal(url string) bool { return strings.HasPrefix(url, "local:") }

// An Undone is something that runs which were killed have left on this machine.
type Undone struct {
	What string // the action that undoes it
	Err  error  // why it is still there
}

// Sweep removes leftovers on this machine of runs that started brokers and were killed with their
// guardians; in a dry run it only returns them.
func Sweep(dry bool) ([]Undone, error) {
	sweep := linked().sweep
	if sweep == nil {
		return nil, errNoSystems
	}
	return sweep(dry)
}

// Parse parses a URL and returns the name of its broker. Until a broker that brokerbench starts
// is there, one at its usual port stands for it.
func (t Targets) Parse(url string) (broker string, err error) {
	if !IsLocal(url) {
		parsed, err := t.Table.Parse(url)
		if err == nil {
			t.Parsed[url] = Target{Target: parsed}
		}
		return parsed.Broker.Name, err
	}
	parse := linked().parseLocal
	if parse == nil {
		return "", fmt.Errorf("%s: %w", url, errNoSystems)
	}
	usual, of, err := parse(url)
	if err != nil {
		return "", err
	}
	parsed, err := t.Table.Parse(usual)
	if err != nil {
		return "", fmt.Errorf("local:%s: %w", of.name, err)
	}
	t.Parsed[url] = Target{parsed, of}
	return of.name, nil
}

// OwnFloor measures the floor of a cell whose broker has one that is not a TCP echo; nil if it has none.
func (t Targets) OwnFloor(ctx context.Context, cell plan.Cell) (*results.Floor, error) {
	echo, err := t.Parsed[cell.Target.URL].Floor(ctx)
	if err != nil || echo == nil {
		return nil, err
	}
	floor, err := run.Floor(ctx, cell, echo)
	if err == nil {
		floor.Pipe = true
	}
	return floor, err
}

// Shared reports whether a target is on this machine.
func (t Targets) Shared(target plan.Target) bool { return t.Parsed[target.URL].Local() }

// Started reports whether a plan has targets that brokerbench starts.
func Started(p plan.Plan) bool { return slices.ContainsFunc(p.Targets, starts) }

// Remote reports whether a plan has nodes on other machines.
func Remote(p plan.Plan) bool { return len(hosts(p)) > 0 }

// hosts returns the other machines on which a plan has nodes, each once.
func hosts(p plan.Plan) (list []string) {
	for _, t := range p.Targets {
		for i := 0; t.System != nil && i < len(t.System.Nodes); i++ {
			if on := t.System.Nodes[i].On; on != "" && !slices.Contains(list, on) {
				list = append(list, on)
			}
		}
	}
	return list
}

// starts reports whether a target only runs once it was started.
func starts(t plan.Target) bool {
	starts := func(n plan.Node) bool { return len(n.Command) > 0 }
	return IsLocal(t.URL) || t.System != nil && slices.ContainsFunc(t.System.Nodes, starts)
}

// Sockets returns how many sockets one connection takes to the most demanding of
// these targets; 0 is as many as most do.
func (t Targets) Sockets(measured []plan.Target) (most int) {
	for _, target := range measured {
		most = max(most, t.Parsed[target.URL].Broker.Sockets)
	}
	return most
}

// CheckMachine returns why targets cannot run on this machine as they say.
func (t Targets) CheckMachine(p plan.Plan) error {
	var errs []error
	w := linked()
	for _, one := range p.Targets {
		var err error
		switch networked := t.Parsed[one.URL].local.networked; {
		case w.parseLocal == nil && one.System != nil:
			err = errNoSystems
		case networked && w.checkNetwork == nil:
			err = errNoFaults
		case networked:
			err = w.checkNetwork()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w", one.Name, err))
		}
	}
	return errors.Join(errs...)
}

// CheckFaults returns every reason, as far as it is known before the run, why a fault of the
// plan cannot or must not happen: it may break a system that brokerbench did not start only if
// allow is true.
func (t Targets) CheckFaults(p plan.Plan, allow bool) error {
	check := linked().checkFault
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

// DataFolder returns the data folder of the first node on this machine that has one, or the nearest folder
// above it that is there; "" if none has.
func (t Targets) DataFolder(measured []plan.Target) string {
	for _, target := range measured {
		system, known := t.system(target)
		for _, n := range system.Nodes {
			if known && n.Data != "" && n.Pod == "" && n.On == "" {
				return there(n.Data)
			}
		}
	}
	return ""
}

// there returns a folder, or the nearest one above it that is there.
func there(folder string) string {
	for {
		info, err := os.Stat(folder)
		if up := filepath.Dir(folder); (err != nil || !info.IsDir()) && up != folder {
			folder = up
			continue
		}
		return folder
	}
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
	switch {
	case IsLocal(of.URL):
		return t.Parsed[of.URL].local.system, true
	case of.System != nil:
		return t.addressed(of), true
	}
	return t.hosts(of), false
}

// addressed returns the system of a target; nodes that say nothing else are where the target
// is, one after the other.
func (t Targets) addressed(of plan.Target) plan.System {
	system := *of.System
	system.Nodes = slices.Clone(system.Nodes)
	hosts := t.Parsed[of.URL].Nodes()
	for i := range system.Nodes {
		if system.Nodes[i].Address == "" && len(hosts) == len(system.Nodes) {
			system.Nodes[i].Address = hosts[i]
		}
	}
	return system
}

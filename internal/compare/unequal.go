package compare

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/results"
)

// A Difference is a setting or a fact that differs between the sides.
type Difference struct {
	Where string `json:"where"` // "environment", or the target
	Name  string `json:"name"`
	Base  string `json:"base"` // "-": there is none
	New   string `json:"new"`
}

// String returns it as "where: name base against new".
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s %s against %s", d.Where, d.Name, d.Base, d.New)
}

// A RefusedError says that two sides cannot be compared fairly.
type RefusedError struct {
	Unequal     []Difference // why
	Differences []Difference // what else differs
}

// Error names everything that differs, a line each.
func (e *RefusedError) Error() string {
	lines := []string{"BASE and NEW differ in what decides latency (--unequal compares them anyway):"}
	for _, d := range e.Unequal {
		lines = append(lines, "  "+d.String())
	}
	if len(e.Differences) > 0 {
		lines = append(lines, "these differ too:")
	}
	for _, d := range e.Differences {
		lines = append(lines, "  "+d.String())
	}
	return strings.Join(lines, "\n")
}

// A Decisive option of a target decides what its latency means, such as whether a message
// survives a failure: sides that differ in it are not compared.
type Decisive struct {
	Name    string
	Default string // the value of a target without the option
	// Work is true for an option that changes the work and not the durability. It has to be the
	// same even for different products that state their levels of durability.
	Work bool
}

// durability returns the level of durability that counts; "" if it is not known.
func durability(b results.Broker) string {
	if b.Durability == nil {
		return ""
	}
	return string(b.Durability.Promised())
}

// mustAgree returns the options in which two brokers must agree. Different products whose
// levels of durability are known must agree in the levels, and not in the options by which
// each reaches its own.
func mustAgree(base, next results.Broker, all []Decisive) []Decisive {
	if base.Product == next.Product || durability(base) == "" || durability(next) == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(d Decisive) bool { return !d.Work })
}

// unequal lists the differences that forbid a comparison, each once.
func unequal(couples []couple, decisive []Decisive) (list differenceList) {
	for _, c := range couples {
		list.within(c.base, decisive)
		list.within(c.next, decisive)
		list.addDurability(c.label(), c.base.broker(), c.next.broker(), decisive)
		list.add(c.label(), "faults", faultPlan(c.base.settings().Faults), faultPlan(c.next.settings().Faults))
		list.add(c.label(), "cold", fmt.Sprint(c.base.settings().Cold), fmt.Sprint(c.next.settings().Cold))
		list.add(c.label(), "echo", cmp.Or(string(c.base.settings().Echo), "off"), cmp.Or(string(c.next.settings().Echo), "off"))
		list.addAll(c.label(), dimensions(c.base.shape), dimensions(c.next.shape))
	}
	return list
}

// within appends the differences between repeats of a cell: a broker may have been started
// again with another configuration.
func (l *differenceList) within(g group, decisive []Decisive) {
	first := g.trials[0]
	for _, t := range g.trials[1:] {
		where := first.Cell.Plan.String() + " → " + t.Cell.Plan.String()
		if first.Dir != t.Dir {
			where = filepath.Join(first.Dir, first.Cell.ID) + " → " + filepath.Join(t.Dir, t.Cell.ID)
		}
		l.addDurability(where, first.Cell.Broker, t.Cell.Broker, decisive)
	}
}

// addDurability appends the differences in durability and decisive options.
func (l *differenceList) addDurability(where string, base, next results.Broker, decisive []Decisive) {
	if level, other := durability(base), durability(next); level != "" && other != "" {
		l.add(where, "durability", level, other)
	}
	for _, d := range mustAgree(base, next, decisive) {
		l.add(where, d.Name, setting(base.Settings, d.Name, d.Default), setting(next.Settings, d.Name, d.Default))
	}
}

func dimensions(s plan.Shape) []results.Setting {
	inFlight := "open"
	if s.InFlight > 0 {
		inFlight = fmt.Sprint(s.InFlight)
	}
	return []results.Setting{
		{Name: "rate", Value: s.RateText()},
		{Name: "size", Value: sizeOf(s)},
		{Name: "connections", Value: fmt.Sprint(s.Connections)},
		{Name: "in-flight", Value: inFlight},
		{Name: "arrivals", Value: string(s.Arrivals)},
		{Name: "topology", Value: cmp.Or(s.Topology.Text(), "own")},
		{Name: "payload", Value: s.Payload.String() + hashOf(s.Files)},
		{Name: "keys", Value: s.Keys.String()},
		{Name: "headers", Value: cmp.Or(s.Headers.Text(), plan.NoHeaders)},
		{Name: "backlog", Value: cmp.Or(s.Backlog.Text(), "none")},
		{Name: "until-store", Value: storeOf(s)},
	}
}

func storeOf(s plan.Shape) string {
	if s.UntilStore == 0 {
		return "none"
	}
	return words.Size(int(s.UntilStore))
}

// hashOf tells folders of messages apart that have one name; "" without files.
func hashOf(f payload.Files) string {
	if f.Count == 0 {
		return ""
	}
	return " (" + f.String() + ")"
}

func sizeOf(s plan.Shape) string {
	text := fmt.Sprintf("%d B", s.Size)
	if s.Sizes != "" {
		text += " of " + string(s.Sizes)
	}
	return text
}

// label names the target of a couple, or both.
func (c couple) label() string {
	if c.base.target == c.next.target {
		return c.base.target
	}
	return c.base.target + " → " + c.next.target
}

// broker returns the broker of the first repeat, which agrees with the others in every
// decisive option: see differenceList.within.
func (g group) broker() results.Broker { return g.trials[0].Cell.Broker }

// settings returns those of the plan, which are the same in all repeats.
func (g group) settings() plan.Settings { return g.trials[0].Cell.Plan.Settings }

// setting returns the value of a setting, or another if there is none.
func setting(settings []results.Setting, name, otherwise string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return otherwise
}

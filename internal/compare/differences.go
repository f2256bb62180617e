package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// A differenceList holds each difference once.
type differenceList []Difference

// add appends a difference, if there is one.
func (l *differenceList) add(where, name, base, next string) {
	const empty = `""` // which is visible
	d := Difference{Where: where, Name: name, Base: cmp.Or(base, empty), New: cmp.Or(next, empty)}
	if base != next && !slices.Contains(*l, d) {
		*l = append(*l, d)
	}
}

func (l *differenceList) addAll(where string, base, next []results.Setting) {
	for _, s := range base {
		l.add(where, s.Name, s.Value, setting(next, s.Name, "-"))
	}
	for _, s := range next {
		if !slices.ContainsFunc(base, func(b results.Setting) bool { return b.Name == s.Name }) {
			l.add(where, s.Name, "-", s.Value)
		}
	}
}

// addKnown is addAll for facts that not every system tells, nor results of earlier versions: one that
// is unknown of either is no difference.
func (l *differenceList) addKnown(where string, base, next []fact) {
	for i, b := range base {
		if n := next[i]; b.value != "" && n.value != "" {
			l.add(where, b.name, b.value, n.value)
		}
	}
}

// A fact has a name and a value, which is "" if it is unknown.
type fact struct{ name, value string }

// known writes a value; nil is "".
func known[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}

// Differences lists the differences between two sets in the environment, and in the products,
// versions and settings of the targets and shapes that both have.
func Differences(base, next *Set, decisive []Decisive) []Difference {
	return differences(base, next, shared(base, next), decisive)
}

// differences lists the differences in the environment, and in the plans, products and
// settings of couples, except those that make them unequal.
func differences(base, next *Set, couples []couple, decisive []Decisive) (list differenceList) {
	list.addAll("environment", environment(base.Run.Environment), environment(next.Run.Environment))
	list.addKnown("environment", facts(base.Run.Environment), facts(next.Run.Environment))
	for _, c := range couples {
		where := c.label()
		b, n := c.base.broker(), c.next.broker()
		list.addAll(where, about(c.base), about(c.next))
		list.addKnown(where, host(c.base), host(c.next))
		list.add(where, "durability not verified", notVerified(b), notVerified(n))
		list.addAll(where, tunable(b, n, decisive), tunable(n, b, decisive))
	}
	return list
}

// notVerified returns the assumptions behind a broker's level of durability.
func notVerified(b results.Broker) string {
	if b.Durability == nil || len(b.Durability.NotVerified) == 0 {
		return "-"
	}
	return strings.Join(b.Durability.NotVerified, "; ")
}

// tunable returns the settings of a broker that may differ from those of the other, without URLs: where a broker is asked,
// such as its monitoring port, is no setting, and another port in each run of a server that brokerbench starts.
func tunable(of, other results.Broker, decisive []Decisive) []results.Setting {
	fixed := mustAgree(of, other, decisive)
	return slices.DeleteFunc(slices.Clone(of.Settings), func(s results.Setting) bool {
		return slices.ContainsFunc(fixed, func(f Decisive) bool { return f.Name == s.Name }) ||
			strings.Contains(s.Value, "://") || strings.Contains(setting(other.Settings, s.Name, ""), "://")
	})
}

func environment(e results.Environment) []results.Setting {
	return []results.Setting{
		{Name: "brokerbench", Value: e.Brokerbench},
		{Name: "Go", Value: e.Go},
		{Name: "OS", Value: e.OS},
		{Name: "kernel", Value: e.Kernel},
		{Name: "host", Value: e.Host},
		{Name: "CPU", Value: e.CPU},
		{Name: "CPUs", Value: fmt.Sprint(e.CPUs)},
		{Name: "GOMAXPROCS", Value: fmt.Sprint(e.GOMAXPROCS)},
		{Name: "memory", Value: fmt.Sprintf("%d MiB", e.MemoryBytes>>20)},
		{Name: "clock source", Value: e.ClockSource},
	}
}

// facts are those of an environment that may be unknown. The size of the page cache is none of them: no
// two runs have the same.
func facts(e results.Environment) []fact {
	return []fact{
		{"CPU governor", known(e.CPUGovernor)},
		{"CPU frequency driver", known(e.CPUDriver)},
		{"vm.dirty_ratio", known(e.DirtyRatio)},
		{"vm.dirty_background_ratio", known(e.DirtyBackgroundRatio)},
		{"vm.dirty_bytes", known(e.DirtyBytes)},
		{"vm.dirty_background_bytes", known(e.DirtyBackgroundBytes)},
	}
}

// host has the facts of the machine of a broker, and of the disk below its data.
func host(g group) []fact {
	list := []fact{{"kernel of the broker", known(g.broker().Kernel)}}
	var d results.Disk // of the first node
	if disks := g.trials[0].Cell.Disks; len(disks) > 0 {
		d = disks[0]
	}
	return append(list,
		fact{"file system", known(d.FileSystem)},
		fact{"mount options", known(d.MountOptions)},
		fact{"drive", known(d.Drive)},
		fact{"drive model", known(d.Model)},
		fact{"rotational drive", known(d.Rotational)},
		fact{"queue scheduler", known(d.Scheduler)},
		fact{"write cache", known(d.WriteCache)},
		fact{"virtual drive", known(d.Virtual)},
	)
}

// about describes what was measured, and how.
func about(g group) []results.Setting {
	cell, broker := g.trials[0].Cell, g.broker()
	s := cell.Plan.Settings
	return []results.Setting{
		{Name: "broker", Value: broker.Product},
		{Name: "version", Value: broker.Version},
		{Name: "client", Value: broker.Client},
		{Name: "url", Value: cell.Plan.Target.URL},
		{Name: "repeats", Value: fmt.Sprint(len(g.trials))},
		{Name: "spin in force", Value: time.Duration(cell.SpinNS).String()},
		{Name: "duration", Value: s.Duration.String()},
		{Name: "warm-up", Value: s.Warmup.String()},
		{Name: "timeout", Value: s.Timeout.String()},
		{Name: "seed", Value: fmt.Sprint(s.Seed)},
		{Name: "senders", Value: fmt.Sprint(max(s.Senders, 1))},
		{Name: "measured by", Value: measuredBy(cell)},
	}
}

func measuredBy(c *results.Cell) string {
	if len(c.Agents) == 0 {
		return "one process"
	}
	return words.Plural(len(c.Agents), "agent")
}

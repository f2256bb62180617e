package config

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/plan"
)

// nameTargets reports names that are there twice, and names the nameless after
// their broker: nats, nats-2.
func (m *mistakes) nameTargets(opts Options, targets []target) {
	taken := make(map[string]bool)
	for _, t := range targets {
		if taken[t.Name] {
			m.add(t.nameAt, "two targets are named %s", t.Name)
		}
		taken[t.Name] = t.Name != ""
	}
	for i, t := range targets {
		if t.Name != "" || t.URL == "" {
			continue
		}
		base := brokerName(opts, t.URL)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		targets[i].Name, taken[name] = name, true
	}
}

func brokerName(opts Options, raw string) string {
	if name := opts.NameTarget(raw); checkName(name) == nil {
		return name
	}
	scheme, _, _ := strings.Cut(raw, ":")
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(scheme), "-"), "-._")
	if checkName(name) != nil {
		return "target"
	}
	return name
}

// overrideTargets returns the targets that were given instead of the file's: URLs,
// and names of the file's targets.
func (f *File) overrideTargets(given []string, at place, m *mistakes) (targets []target) {
	for _, text := range given {
		t := target{Target: plan.Target{URL: text}, at: at, nameAt: at}
		if !strings.Contains(text, ":") && len(f.targets) > 0 {
			named := f.named(text)
			if t.Target, t.slos = named.Target, named.slos; t.URL == "" {
				m.add(at, "target %s is none of the plan's%s", quote(text), suggest.Hint(text, f.targetNames()))
				continue
			}
		} else if !m.checkURL(f.opts, at, text) {
			continue
		}
		targets = append(targets, t)
	}
	m.nameTargets(f.opts, targets)
	return targets
}

func (f *File) named(name string) target {
	for _, t := range f.targets {
		if t.Name == name {
			return t
		}
	}
	return target{}
}

func (f *File) targetNames() (names []string) {
	for _, t := range f.targets {
		names = append(names, t.Name)
	}
	return names
}

package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

// nameTargets reports names that are there twice, and names the other targets after
// their broker: nats, nats-2.
func (m *mistakes) nameTargets(targets []target) {
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
		base := cmp.Or(cleanName(t.broker), "target")
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		targets[i].Name, taken[name] = name, true
	}
}

// overrideTargets returns the targets that replace the file's. They are given as
// URLs, or as names of the file's targets.
func (r *reader) overrideTargets(given []string, at place) (targets []target) {
	for _, text := range given {
		t := target{nameAt: at}
		if !strings.Contains(text, ":") && len(r.targets) > 0 {
			t = r.named(text, at)
		} else {
			r.parseURL(&t, at, text)
		}
		if t.URL != "" {
			targets = append(targets, t)
		}
	}
	r.nameTargets(targets)
	return targets
}

// named returns the file's target of that name.
func (r *reader) named(name string, at place) target {
	var names []string
	for _, t := range r.targets {
		if t.Name == name {
			t.nameAt = at
			return t
		}
		names = append(names, t.Name)
	}
	r.add(at, "target %s is none of the plan's%s", quote(name), suggest.Hint(name, names))
	return target{}
}

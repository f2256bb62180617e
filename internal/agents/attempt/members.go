package attempt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A member is an agent as far as its reports tell.
type member struct {
	name     string
	state    wire.State
	error    string
	heard    time.Duration
	lost     string // why
	clock    Clock
	synced   bool
	readings int // of its clock
	asked    map[wire.Kind]time.Duration

	advanced time.Duration // when more of its result came; 0: never
}

func (m *Machine) member(name string) *member {
	i := slices.IndexFunc(m.agents, func(a *member) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return m.agents[i]
}

func (m *Machine) lose(a *member, why string) {
	if a.lost == "" {
		a.lost = why
	}
}

// present yields the agents that are not lost.
func (m *Machine) present() (list []*member) {
	for _, a := range m.agents {
		if a.lost == "" {
			list = append(list, a)
		}
	}
	return list
}

// all tells whether every agent that is not lost is in one of some states.
func (m *Machine) all(states ...wire.State) bool {
	return !slices.ContainsFunc(m.present(), func(a *member) bool { return !slices.Contains(states, a.state) })
}

// those returns the names of the agents that are not lost and not in one of some states.
func (m *Machine) those(states ...wire.State) string {
	var names []string
	for _, a := range m.present() {
		if !slices.Contains(states, a.state) {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, ", ")
}

// losses says who was lost, and why.
func (m *Machine) losses() string {
	var texts []string
	for _, a := range m.agents {
		if a.lost != "" {
			texts = append(texts, fmt.Sprintf("agent %s was lost: %s", a.name, a.lost))
		}
	}
	return strings.Join(texts, "; ")
}

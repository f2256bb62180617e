package plan

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A System says how a target is run.
type System struct {
	Nodes []Node `json:"nodes"`

	// Helpers are processes that the nodes need, such as a name server. They are started
	// before the nodes, and nothing breaks them.
	Helpers []Node `json:"helpers,omitempty"`
	// Formed is a command that succeeds when the nodes have formed a cluster. It runs when each
	// node is ready, for at most the longest time that a node may take. None: they need none.
	Formed []string `json:"formed,omitempty"`
}

// A Node says how one process of a target is run, or which one it is: exactly one of
// Command, PID, Container, Unit and Pod is set.
type Node struct {
	Name    string `json:"name"`              // unique within the target; "1" and so on by default
	Address string `json:"address,omitempty"` // host and port at which clients reach it; "" of the only node: that of the target
	// Fronts are the proxies through which clients reach the node: from where each listens,
	// Address among them, to where the node does. Empty: the node listens at Address.
	Fronts  map[string]string `json:"fronts,omitempty"`
	Command []string          `json:"command,omitempty"` // starts it in the foreground, such as nats-server or docker run
	Dir     string            `json:"dir,omitempty"`     // where Command runs; "": where brokerbench does
	Data    string            `json:"data,omitempty"`    // folder in which it keeps its data
	Log     string            `json:"log,omitempty"`     // file that it logs to; "": what Command prints

	// Ready is a command that succeeds when the node is ready; without it a node is ready
	// that accepts connections at Address. ReadyIn is how long it may take; 0: a minute.
	Ready   []string      `json:"ready,omitempty"`
	ReadyIn time.Duration `json:"ready_in_ns,omitempty"`

	On        string `json:"on,omitempty"`        // the machine that it runs on, as ssh://[USER@]HOST[:PORT]; "": this one. Dir, Data and Log are there
	PID       int    `json:"pid,omitempty"`       // of a process that runs already
	Container string `json:"container,omitempty"` // as docker calls it
	Unit      string `json:"unit,omitempty"`      // as systemctl calls it
	Pod       string `json:"pod,omitempty"`       // as kubectl calls it, such as kafka-0 or namespace/kafka-0
}

// engine reports whether Command is docker or podman: killing its process would not kill the
// container.
func (n Node) engine() bool {
	return len(n.Command) > 0 && slices.Contains([]string{"docker", "podman"}, filepath.Base(n.Command[0]))
}

// ContainerOptions tells behind how many words of Command the options of docker run begin, or
// those of docker container run, or podman's; 0 if Command is something else.
func (n Node) ContainerOptions() int {
	if !n.engine() {
		return 0
	}
	for _, run := range [][]string{{"run"}, {"container", "run"}} {
		if words := 1 + len(run); len(n.Command) > words && slices.Equal(n.Command[1:words], run) {
			return words
		}
	}
	return 0
}

// Validate returns every mistake in the system at once.
func (s System) Validate() error {
	errs := []error{wrong(len(s.Nodes) == 0, "a system without nodes")}
	names := make(map[string]bool)
	for _, n := range append(s.Nodes[:len(s.Nodes):len(s.Nodes)], s.Helpers...) {
		errs = append(errs, wrong(names[n.Name], "two nodes are named %q", n.Name), n.Validate())
		names[n.Name] = true
	}
	for _, h := range s.Helpers {
		errs = append(errs, wrong(h.On != "", "helper %s: on: helpers run on this machine", h.Name))
	}
	return errors.Join(errs...)
}

// Validate returns every mistake in the node at once.
func (n Node) Validate() error {
	ways := 0
	for _, given := range []bool{len(n.Command) > 0, n.PID != 0, n.Container != "", n.Unit != "", n.Pod != ""} {
		if given {
			ways++
		}
	}
	engine := ""
	if n.engine() {
		engine = filepath.Base(n.Command[0])
	}
	return errors.Join(
		wrong(n.Name == "", "a node without a name"),
		wrong(ways != 1, "node %s: want one of command, pid, container, unit and pod", n.Name),
		wrong(engine != "" && n.ContainerOptions() == 0, "node %s: of what %s does, only run makes a container that can be broken and removed: write %[2]s run …, with what belongs before run in the environment, or name a container that is there as container", n.Name, engine),
		wrong(n.PID < 0, "node %s: pid %d is negative", n.Name, n.PID),
		n.checkOn(),
		wrong(n.ReadyIn < 0, "node %s: %v to be ready is negative", n.Name, n.ReadyIn),
	)
}

// checkOn returns an error if the node cannot run on another machine as it says.
func (n Node) checkOn() error {
	if n.On == "" {
		return nil
	}
	where, ok := strings.CutPrefix(n.On, "ssh://")
	user, host, named := strings.Cut(where, "@")
	if !named {
		user, host = "", where
	}
	errs := []error{
		wrong(!ok || host == "" || strings.HasPrefix(where, "-") || strings.ContainsAny(where, " \t\n,/"), "node %s: on %q: want ssh://HOST, ssh://USER@HOST or ssh://HOST:PORT", n.Name, n.On),
		wrong(strings.Contains(user, ":"), "node %s: on has a password: ssh takes keys only", n.Name),
		wrong(n.Pod != "", "node %s: kubectl reaches a pod from this machine: leave out on", n.Name),
	}
	for _, at := range []struct{ key, path string }{{"dir", n.Dir}, {"data", n.Data}, {"log", n.Log}} {
		errs = append(errs, wrong(at.path != "" && !strings.HasPrefix(at.path, "/"), "node %s: %s %q is a path of this machine: on %s it begins with /", n.Name, at.key, at.path, n.On))
	}
	return errors.Join(errs...)
}

// Redacted returns the target without its secrets, which redact removes from a text: from its
// URL, and from the commands of its nodes.
func (t Target) Redacted(redact func(string) string) Target {
	t.URL = redact(t.URL)
	if t.System == nil {
		return t
	}
	s := *t.System
	s.Formed = redacted(s.Formed, redact)
	s.Nodes, s.Helpers = slices.Clone(s.Nodes), slices.Clone(s.Helpers)
	for _, nodes := range [][]Node{s.Nodes, s.Helpers} {
		for i := range nodes {
			nodes[i].Command, nodes[i].Ready = redacted(nodes[i].Command, redact), redacted(nodes[i].Ready, redact)
		}
	}
	t.System = &s
	return t
}

// Redacted returns the settings without the secrets in the commands of their faults.
func (s Settings) Redacted(redact func(string) string) Settings {
	s.Faults = slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i] = s.Faults[i].Redacted(redact)
	}
	return s
}

// Redacted returns the fault without the secrets in its command.
func (f Fault) Redacted(redact func(string) string) Fault {
	f.Command = redacted(f.Command, redact)
	return f
}

func redacted(words []string, redact func(string) string) []string {
	words = slices.Clone(words)
	for i := range words {
		words[i] = redact(words[i])
	}
	return words
}

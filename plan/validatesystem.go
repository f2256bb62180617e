package plan

import (
	"errors"
	"path/filepath"
)

// Validate returns every mistake in the system at once.
func (s System) Validate() error {
	errs := []error{wrong(len(s.Nodes) == 0, "a system without nodes")}
	names := make(map[string]bool)
	for _, n := range append(s.Nodes[:len(s.Nodes):len(s.Nodes)], s.Helpers...) {
		errs = append(errs, wrong(names[n.Name], "two nodes are named %q", n.Name), n.Validate())
		names[n.Name] = true
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
		wrong(n.ReadyIn < 0, "node %s: %v to be ready is negative", n.Name, n.ReadyIn),
	)
}

package system

import (
	"path/filepath"
	"slices"

	"github.com/brokerbench/brokerbench/plan"
)

// wayOf returns how a node is run, which the plan has checked.
func wayOf(n plan.Node, o Options) way {
	switch {
	case n.PID != 0:
		return newRunning(n.PID)
	case n.Container != "":
		return container("docker", n.Container)
	case n.Unit != "":
		return unit(n.Unit)
	case n.Pod != "":
		return pod(n.Pod)
	case runsContainer(n.Command):
		return newDockerRun(n, o)
	}
	return newCommand(n, o)
}

// runsContainer tells whether a command is docker run: to kill that process would not kill
// the container.
func runsContainer(args []string) bool {
	return len(args) > 2 && slices.Contains([]string{"docker", "podman"}, filepath.Base(args[0])) && args[1] == "run"
}

package nodes

import "github.com/brokerbench/brokerbench/plan"

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
	case n.ContainerOptions() > 0:
		return newDockerRun(n, o)
	}
	return newCommand(n, o)
}

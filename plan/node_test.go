package plan_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

// docker container run is docker run. What else docker does in the foreground is refused: to
// kill it would not kill a container.
func TestWhichCommandsRunContainers(t *testing.T) {
	for command, want := range map[string]int{
		"docker run nats": 2, "/usr/bin/podman run --rm nats": 2, "docker container run nats": 3, "nats-server run": 0, "runc run nats": 0,
		"docker run": -1, "docker container run": -1, "docker start -a nats": -1, "docker compose up": -1, "podman --storage-driver vfs run nats": -1,
	} {
		n := plan.Node{Name: "1", Command: strings.Fields(command)}
		err := n.Validate()
		if refused := want < 0; n.ContainerOptions() != max(want, 0) || (err != nil) != refused || refused && !strings.Contains(err.Error(), "node 1: of what ") {
			t.Errorf("%q: %d, %v", command, n.ContainerOptions(), err)
		}
	}
}

func TestHelpersRunOnThisMachine(t *testing.T) {
	node, helper := plan.Node{Name: "1", Command: []string{"a"}, On: "ssh://vm1"}, plan.Node{Name: "2", Command: []string{"b"}}
	s := plan.System{Nodes: []plan.Node{node}, Helpers: []plan.Node{helper}}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Helpers[0].On = "ssh://vm1"
	if err := s.Validate(); err == nil || err.Error() != "helper 2: on: helpers run on this machine" {
		t.Error(err)
	}
}

//go:build linux

package cli

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/poll"
)

// containerImage names the image of a NATS server that a container engine has: see
// deploy/local/containers.
const containerImage = "CONTAINER_IMAGE"

// image returns that image, and a port for its server.
func image(t *testing.T) (name, port string) {
	t.Helper()
	if name = os.Getenv(containerImage); name == "" {
		t.Skip("NOT TESTED: no container engine: make containers")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return name, port
}

// ran runs a command to its end, and returns what it printed.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// containerNamed tells whether there is such a container, running or not.
func containerNamed(t *testing.T, name string) bool {
	t.Helper()
	return strings.Contains("\n"+ran(t, "docker", "ps", "--all", "--format", "{{.Names}}")+"\n", "\n"+name+"\n")
}

// planOfContainer writes a plan of so many seconds, whose only node is as said, and breaks it.
func planOfContainer(t *testing.T, port, node string, seconds int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.yaml")
	text := fmt.Sprintf(`
duration: %ds
warmup: 1s
timeout: 5s
floor: off
matrix: {rate: 200, size: 1KiB, connections: 2}
targets:
- name: nats
  url: nats://127.0.0.1:%s
  nodes: [%s]
faults:
- {at: 2s, do: kill, node: a, restart: 1s}
- {at: 6s, do: pause, node: a, for: 1s}
- {at: 9s, do: stop, node: a, restart: 1s}
`, seconds, port, node)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A container is measured, watched, broken and healed as a process is: one that brokerbench
// makes, with either engine's words, and one that was there.
func TestRealContainers(t *testing.T) {
	for how, tt := range map[string]struct {
		run   string // "": the container is there before
		there bool
	}{
		"made":               {run: "docker run"},
		"made in more words": {run: "podman container run --rm=false"},
		"there":              {there: true},
	} {
		t.Run(how, func(t *testing.T) {
			image, port := image(t)
			name := "brokerbench-test-" + port
			behind := []string{"--network=host", "--name", name, image, "-a", "127.0.0.1", "-p", port}
			node := fmt.Sprintf("{name: a, command: %s %s}", tt.run, strings.Join(behind, " "))
			var args []string
			if tt.there {
				args = []string{"--allow-faults"}
				ran(t, append([]string{"docker", "run", "--detach"}, behind...)...)
				defer ran(t, "docker", "rm", "--force", name)
				node = fmt.Sprintf("{name: a, container: %s}", name)
			}
			code, _, cells, stderr := runJSON(t, append(args, "-f", planOfContainer(t, port, node, 12))...)
			if code != command.ExitGood && code != command.ExitInvalid || len(cells) != 1 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			c := cells[0]
			if l := c.Ledger; l.Due != 12*200 || l.Done+l.Failed+l.Lost+l.Unsent != l.Due || l.Done < 12*200/2 {
				t.Errorf("%+v", l)
			}
			if len(c.Faults) != 3 {
				t.Fatalf("%d faults", len(c.Faults))
			}
			for _, f := range c.Faults {
				if d := f.Impact.Deliveries; !d.Shown || d.ForNS < 9e8 || d.ForNS > 8e9 || f.HealedNS == nil {
					t.Errorf("%s: %+v", f.Plan, f)
				}
			}
			if c.Cost == nil || c.Cost.NodesCPUNS == nil || *c.Cost.NodesCPUNS <= 0 {
				t.Errorf("cost %+v", c.Cost)
			}
			if containerNamed(t, name) != tt.there {
				t.Errorf("is the container there? %v", !tt.there)
			}
			if tt.there && ran(t, "docker", "inspect", "--format", "{{.State.Running}}", name) != "true" {
				t.Error("it was running, and is not any more")
			}
		})
	}
}

// A container does not outlive a brokerbench that is killed.
func TestNoContainerOutlivesBrokerbench(t *testing.T) {
	image, port := image(t)
	name := "brokerbench-test-" + port
	plan := planOfContainer(t, port, fmt.Sprintf("{name: a, command: docker run --network=host --name %s %s -a 127.0.0.1 -p %s}", name, image, port), 60)
	c := exec.CommandContext(t.Context(), os.Args[0], "run", "--out", t.TempDir(), "--quiet", "-f", plan)
	c.Env = append(os.Environ(), asProgram+"=1")
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	wait := func(there bool) {
		t.Helper()
		poll.Until(t, 30*time.Second, func() bool { return containerNamed(t, name) == there }, "is the container there? %v", !there)
	}
	wait(true)
	time.Sleep(time.Second) // it may be measured by then, or be starting
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	wait(false)
}

package child

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that is to be small has no NATS server in it, and compiles.
func TestTheNATSServerCanBeLeftOut(t *testing.T) {
	const server = "github.com/nats-io/nats-server/v2/server\n"
	for tags, want := range map[string]bool{"": true, "nonatsserver": false} {
		deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, "../../../cmd/brokerbench").Output()
		if err != nil || strings.Contains(string(deps), server) != want {
			t.Errorf("tags %q: it has the server: %v; %v", tags, !want, err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "nonatsserver", ".").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

package deploy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// BROKERBENCH_CI=1: this machine is built for, and measured on, for some minutes.
func TestABOfBuilds(t *testing.T) {
	if os.Getenv("BROKERBENCH_CI") == "" {
		t.Skip("BROKERBENCH_CI=1 builds three NATS servers and compares them")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "brokerbench")
	golang(t, "build", "-tags", "grpcnotrace", "-o", program, "../cmd/brokerbench")
	older, newer, slow := filepath.Join(dir, "older"), filepath.Join(dir, "newer"), filepath.Join(dir, "slow")
	golang(t, "build", "-C", sources(t, "v2.11.6"), "-o", older, ".")
	golang(t, "build", "-C", sources(t, "v2.12.2"), "-o", newer, ".")
	golang(t, "build", "-C", slowed(t, "v2.12.2"), "-o", slow, ".")
	for _, c := range []struct {
		name, base, head string
		want             []int
	}{
		{"one build", newer, newer, []int{0}},
		{"two versions", older, newer, []int{0, 5}}, // a change of the server may be one
		{"a slower build", newer, slow, []int{5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			cmd := exec.Command("ci/ab", fmt.Sprintf("nats://127.0.0.1:%d", free(t)), c.base, c.head, out, "--rate", "300", "--duration", "2s", "--warmup", "500ms", "--percentiles", "50,99")
			own := func(variable string) bool { return strings.HasPrefix(variable, "BROKERBENCH_") }
			cmd.Env = append(slices.DeleteFunc(os.Environ(), own), "BROKERBENCH="+program, "GATES=p50>50% loss>0.1%")
			said, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() == 1 || cmd.ProcessState.ExitCode() == 2 {
				t.Fatalf("%v\n%s", err, said)
			}
			text := read(t, filepath.Join(out, "summary.md"))
			t.Logf("exit code %d\n%s%s", cmd.ProcessState.ExitCode(), said, text)
			if !slices.Contains(c.want, cmd.ProcessState.ExitCode()) || strings.Count(text, "\n") > 60 || strings.Count(text, "8 runs against 8") != 1 || strings.Count(text, "differ in nothing") != 1 {
				t.Errorf("want exit code %v, and both comparisons in 60 lines", c.want)
			}
		})
	}
}

// golang returns what a command of Go prints.
func golang(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return out
}

// sources returns the folder of a NATS server's sources, which is read-only.
func sources(t *testing.T, version string) string {
	t.Helper()
	var module struct{ Dir string }
	if err := json.Unmarshal(golang(t, "mod", "download", "-json", "github.com/nats-io/nats-server/v2@"+version), &module); err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

// slowed returns sources of a server that sleeps before each message of a client.
func slowed(t *testing.T, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "slow")
	if err := os.CopyFS(dir, os.DirFS(sources(t, version))); err != nil {
		t.Fatal(err)
	}
	const begins = "func (c *client) processInboundClientMsg(msg []byte) (bool, bool) {\n"
	source := filepath.Join(dir, "server/client.go")
	text := read(t, source)
	if strings.Count(text, begins) != 1 {
		t.Fatalf("%s has no %q", source, begins)
	}
	text = strings.Replace(text, begins, begins+"\ttime.Sleep(time.Millisecond)\n", 1)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// free returns a port that is free.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

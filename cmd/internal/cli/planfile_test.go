package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// A plan file may be an argument: as -f, also between targets. What is a target stays one,
// whatever files there are.
func TestAPlanIsAnArgument(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "targets: [{name: fast, url: 'loopback:'}]\nmatrix: {rate: 7}\n"
	for _, name := range []string{"plan.yaml", "other.YML", "as-it-is", "nats", "a=b.yaml"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"plan plan.yaml", command.ExitGood, "fast"},
		{"plan ./plan.yaml", command.ExitGood, "fast"},
		{"plan other.YML --rate 8", command.ExitGood, " 8 "},
		{"plan as-it-is", command.ExitGood, "fast"},
		{"plan a=b.yaml", command.ExitGood, "fast"},
		{"plan plan.yaml mine=redis://h", command.ExitGood, "mine"},
		{"plan mine=redis://h plan.yaml", command.ExitGood, " 7 "},
		{"plan nats", command.ExitGood, "nats"}, // a broker's name, although there is a file
		{"plan nats", command.ExitGood, "nats://127.0.0.1:4222"},
		{"plan ./nats", command.ExitGood, "fast"},
		{"run plan.yaml --dry-run", command.ExitGood, "fast"},
		{"plan absent.yaml", command.ExitUsage, "absent.yaml"},
		{"plan plan.yaml other.YML", command.ExitUsage, "plan.yaml and other.YML are two plan files: want one"},
		{"plan -f plan.yaml other.YML", command.ExitUsage, "-f plan.yaml and other.YML are two plan files: want one, by -f or as an argument"},
		{"plan folder", command.ExitUsage, "folder"},
		{"run plan.yaml -o plan.yaml --force --format json", command.ExitUsage, "plan.yaml"},
	} {
		code, stdout, stderr := invoke(strings.Split(tt.args, " ")...)
		if said := stdout + stderr; code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: exit code %d, want %d and %q: %s", tt.args, code, tt.code, tt.want, said)
		}
	}
	if kept, err := os.ReadFile("plan.yaml"); err != nil || string(kept) != text {
		t.Errorf("the plan is %q now, %v", kept, err)
	}
}

func TestASideOfABMayBeAPlan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("targets: ['loopback:']\nfaults: [{at: 1s, pause: consumers, for: 1s}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := invoke("ab", "--side", file, "--side", "loopback:")
	wantCode(t, code, command.ExitUsage, stderr, "only run and fault break")
	code, _, stderr = invoke("ab", "--side", file+" "+file, "--side", "loopback:")
	wantCode(t, code, command.ExitUsage, stderr, "two plan files")
}

func TestPlansAreCompleted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"plan.yaml", "results.json"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("plans", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"run", "search"} {
		got, _ := completed(t, command, "pl")
		if want := "plan.yaml plans/"; !strings.HasPrefix(strings.Join(got, " "), want) {
			t.Errorf("%s: %q, want %q first", command, got, want)
		}
	}
	if got, _ := completed(t, "rank", "pl"); len(got) > 0 && got[0] == "plan.yaml" {
		t.Errorf("rank takes no plan: %q", got)
	}
}

package deploy_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a stand-in for brokerbench into a folder: it notes each call in the file
// calls, makes the folder of a run, and ends with the code that is wanted of a command.
func program(t *testing.T, dir, name, codes string) {
	t.Helper()
	script := `#!/bin/sh
echo "` + name + ` $1" >>"` + dir + `/calls"
if [ "$1" = run ]; then mkdir -p "$3/2026-$(ls "$3" 2>/dev/null | wc -l)"; else echo "$2 $3" >>"` + dir + `/calls"; fi
case $1 in ` + codes + ` esac
`
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// compare runs ci/compare with two such programs, and returns its exit code and the calls.
func compare(t *testing.T, base, head string) (code int, calls, said string) {
	t.Helper()
	dir := t.TempDir()
	program(t, dir, "base", base)
	program(t, dir, "head", head)
	cmd := exec.Command("ci/compare", filepath.Join(dir, "base"), filepath.Join(dir, "head"), filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), "PAIRS=2", "GATES=p99>5%")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("NOT CHECKED: ci/compare does not start here: %v", err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "calls"))
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(string(text), dir+"/", ""), string(out)
}

func TestCompareMeasuresByTurns(t *testing.T) {
	code, calls, said := compare(t, "", "")
	const want = "base run\nhead run\nhead run\nbase run\nhead compare\nout/base/2026-0,out/base/2026-1 out/head/2026-0,out/head/2026-1\n"
	if code != 0 || calls != want {
		t.Errorf("exit code %d, calls:\n%swant:\n%s%s", code, calls, want, said)
	}
}

func TestCompareFailsOnlyOnWhatIsShown(t *testing.T) {
	for _, c := range []struct {
		what, base, head string
		want             int
	}{
		{"a gate failed", "", "compare) exit 5;;", 5},
		{"a gate is not decided", "", "compare) exit 4;;", 0},
		{"the sides cannot be compared", "", "compare) exit 1;;", 1},
		{"a cell is not valid", "run) exit 4;;", "", 0},
		{"the head cannot be measured", "", "run) exit 1;;", 1},
		{"the base is interrupted", "run) exit 130;;", "", 1},
	} {
		if code, calls, said := compare(t, c.base, c.head); code != c.want {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.what, code, c.want, calls, said)
		}
	}
}

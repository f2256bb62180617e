package claims_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/claims"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheckSums(t *testing.T) {
	list := []claims.Claim{{Plan: "x.yaml", Evidence: []string{"runs/1"}}}
	line := func(name, text string) string { return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name) }
	good := line("./claims.yaml", "claims") + line("x.yaml", "plan") + line("runs/1/run.json", "one")
	without := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, claims.SumsFile), strings.Replace(good, line(name, text), "", 1))
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   bool // all is well
		runs   bool // so are the runs
	}{
		"as they were":      {func(*testing.T, string) {}, true, true},
		"no sums":           {func(_ *testing.T, dir string) { os.Remove(filepath.Join(dir, claims.SumsFile)) }, true, true},
		"a file beside":     {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "runs/2/run.json"), "two") }, true, true},
		"another text":      {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "runs/1/run.json"), "onE") }, false, false},
		"a missing file":    {func(_ *testing.T, dir string) { os.Remove(filepath.Join(dir, "claims.yaml")) }, false, true},
		"a further file":    {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "runs/1/cells/a/cell.json"), "") }, false, true},
		"claims unlisted":   {without("./claims.yaml", "claims"), false, true},
		"plan unlisted":     {without("x.yaml", "plan"), false, true},
		"a file outside":    {func(t *testing.T, dir string) { write(t, filepath.Join(dir, claims.SumsFile), good+line("../x", "")) }, false, false},
		"a line of no sums": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, claims.SumsFile), good+"x  y\n") }, false, false},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "claims.yaml"), "claims")
		write(t, filepath.Join(dir, "x.yaml"), "plan")
		write(t, filepath.Join(dir, "runs/1/run.json"), "one")
		write(t, filepath.Join(dir, claims.SumsFile), good)
		if got, want := claims.Sum(dir), fmt.Sprintf("%x", sha256.Sum256([]byte(good))); got != want {
			t.Errorf("the sum is %s, want %s", got, want)
		}
		c.change(t, dir)
		if err := claims.CheckSums(dir, list); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if err := claims.CheckSumsOf(dir, "runs"); (err == nil) != c.runs {
			t.Errorf("%s: the runs: %v", name, err)
		}
	}
}

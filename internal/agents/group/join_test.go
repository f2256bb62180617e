package group

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/agents/control"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Each file lets one agent in, and only its user reads it. A control server of the user's own
// knows no secrets of ours, and is given none.
func TestEachAgentHasAJoinFileOfItsOwn(t *testing.T) {
	names := []string{"a1", "a2", "a3"}
	secrets, err := control.NewSecrets(names)
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []bool{true, false} {
		r := &State{dir: t.TempDir(), Run: "r", URL: "nats://h:1", Secrets: secrets}
		dir, err := r.writeJoins(own)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"0.json", "1.json", "2.json"} {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			j, err := wire.ReadJoin(strings.NewReader(string(text)))
			want := wire.Identity{Name: names[i]}
			if own {
				want = secrets.Agents[i]
			}
			if err != nil || j.Agent != want || (j.SHA256 != "") != own {
				t.Errorf("%s, own %v: %+v, %v, want %+v", name, own, j, err, want)
			}
			for k, other := range secrets.Agents {
				if k != i && strings.Contains(string(text), other.Secret) {
					t.Errorf("%s has the key of %s", name, other.Name)
				}
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 3 {
			t.Errorf("%v", files)
		}
	}
}

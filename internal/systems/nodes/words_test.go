package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

// A verdict has one line of a node's log: the one that says why, and not what comes after it.
func TestLastWordsAreOneShortLine(t *testing.T) {
	long := "[error] " + strings.Repeat("segment ", 100)
	for name, c := range map[string]struct{ log, want string }{
		"the last line":      {"starting\nlistening on 5672\n", "listening on 5672"},
		"the one of trouble": {"[FTL] bind: address already in use\nexiting now\n", "[FTL] bind: address already in use"},
		"the last trouble":   {"error: one\nerror: two\nbye\n", "error: two"},
		"no dashes":          {"it is over\n---------\n}]}.\n\n", "it is over"},
		"blanks":             {"a \t\tfatal    line\n", "a fatal line"},
		"quotes":             {`{"level":"error"}`, `{\"level\":\"error\"}`},
		"a long one":         {long + "\n", string([]rune(long)[:159]) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "node-1.log")
			if err := os.WriteFile(file, []byte(c.log), 0o600); err != nil {
				t.Fatal(err)
			}
			n := newNode(plan.Node{Name: "1", Command: []string{"server"}, Log: file}, Options{}, nil)
			if got, want := n.lastWords(), `; it logged "`+c.want+`", more in `+file; got != want || strings.Contains(got, "\n") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// What docker logs is asked of docker, and the line says how.
func TestLastWordsOfAContainerNameTheCommand(t *testing.T) {
	script(t, "docker", `echo "no space left on device"`)
	n := newNode(plan.Node{Name: "1", Container: "nats"}, Options{}, nil)
	if got, want := n.lastWords(), `; it logged "no space left on device", more in docker logs nats`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A log that is thrown away with the run is not where anybody finds more, and the line says what to
// do. That of a ready-made node cannot be kept.
func TestLastWordsDoNotNameALogThatIsThrownAway(t *testing.T) {
	for _, c := range []struct {
		log       string
		throwaway bool
		want      string
	}{
		{"no space left\n", false, `; it logged "no space left" (to keep all of it, give the node a log, a file)`},
		{"no space left\n", true, `; it logged "no space left"`},
		{"", true, "; it logged nothing"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "node-1.log"), []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		n := newNode(plan.Node{Name: "1", Command: []string{"server"}}, Options{Logs: dir, Throwaway: c.throwaway}, nil)
		if got := n.lastWords(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestLastWordsOfWhoSaysNothing(t *testing.T) {
	n := newNode(plan.Node{Name: "1", Command: []string{"server"}, Log: "/no/such/log"}, Options{}, nil)
	if got, want := n.lastWords(), "; it logged nothing in /no/such/log"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := newNode(plan.Node{Name: "1", PID: 1 << 30}, Options{}, nil).lastWords(); got != "" {
		t.Errorf("nobody knows a log, and %q", got)
	}
}

//go:build unix

package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// Each probe of a search is a cell over all agents.
func TestSearchOnAgents(t *testing.T) {
	needsProc(t)
	t.Parallel()
	var dir string
	var r *run
	code := -1
	for range 5 { // a machine that stands still for a second may break the SLO, 3, or leave it open, 4
		dir = t.TempDir()
		r = begin(t, dir, nil, "search", "loopback:?delay=1ms", "--agents", "local:3", "--connections", "6", "--slo", "p50<500ms", "--from", "30", "--max", "60",
			"--duration", "1s", "--confirm", "1s", "--unseen-pause", "0", "--warmup", "200ms", "--floor", "off", "--at-most", "2m", "--out", filepath.Join(dir, "out"))
		if code = r.end(); code != 3 && code != 4 {
			break
		}
	}
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	cells := r.cells()
	if len(cells) < 2 {
		t.Fatalf("%d probes: %s", len(cells), r.out.String())
	}
	for _, c := range cells {
		if len(c.Agents) != 3 || c.Ledger.Check() != nil || c.Ledger.Missing() > 0 {
			t.Errorf("%s: %d agents, %+v", c.ID, len(c.Agents), c.Ledger)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out", results.LatestLink, "search.json")); err != nil || !strings.Contains(r.out.String(), "60") {
		t.Errorf("%v: %s", err, r.out.String())
	}
}

// Both sides are measured by the same agents, by turns, and are two runs.
func TestABOnAgents(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, nil, "ab", "--side", "loopback:?delay=1ms", "--side", "loopback:?delay=2ms", "--agents", "local:2", "--connections", "4", "--rate", "100",
		"--duration", "1s", "--warmup", "200ms", "--pairs", "2", "--out", filepath.Join(dir, "out"))
	code := r.end()
	if code != 0 && code != 4 { // two pairs decide little
		t.Fatalf("exit code %d: %s", code, r.out.String())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "out", "*-ab-*", results.RunFile))
	ids := make(map[string]bool)
	for _, file := range files {
		text, err := os.ReadFile(file)
		var run results.Run
		if err == nil {
			err = json.Unmarshal(text, &run)
		}
		if err != nil || len(run.Cells) != 2 {
			t.Errorf("%s: %d cells, %v", file, len(run.Cells), err)
		}
		ids[run.ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("%d runs with %d names: %s", len(files), len(ids), r.out.String())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "state", "brokerbench", "*")); left != nil {
		t.Errorf("the state of the run is left: %v", left)
	}
}

// What agents cannot do is said in one line, before anything begins.
func TestWhatOtherCommandsRefuse(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"verify", "--agents", "local:3"}, "verify checks one process against witnesses"},
		{[]string{"search", "loopback:", "--slo", "p99<5ms", "--agents", "local:3", "--connections", "2"}, "which 3 agents cannot share"},
		{[]string{"ab", "--side", "loopback: --connections 3", "--side", "loopback: --connections 2", "--agents", "local:3"}, "which 3 agents cannot share"},
		{[]string{"fault", "nats://h1,h2", "--cut", "1", "--agents", "wait:1"}, "want --agents local:N"},
		{[]string{"run", "local:nats", "--agents", "ssh://vm1"}, "want --agents local:N"},
	} {
		r := begin(t, dir, nil, tt.args...)
		code := r.end()
		if lines := strings.Count(strings.TrimSpace(r.out.String()), "\n"); code != 2 || !strings.Contains(r.out.String(), tt.want) || lines > 1 {
			t.Errorf("%v: exit code %d, %d lines more: %s; want %q", tt.args, code, lines, r.out.String(), tt.want)
		}
	}
}

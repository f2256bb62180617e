//go:build linux || darwin

package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A run is not resumed while its coordinator lives: two at once would open one store, and the
// second deletes what the first writes.
func TestARunThatIsCoordinatedIsNotResumed(t *testing.T) {
	s := Streams{Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}}
	a := agentsFlags{spec: "wait:1", onLoss: "retry", maxSkew: 1, lease: time.Second, wait: time.Second}
	where, err := a.parse()
	if err != nil {
		t.Fatal(err)
	}
	a.where = &where
	living, err := newRunState(s, a, plan.Plan{}, "")
	if err != nil {
		t.Fatal(err)
	}
	run := results.Run{ID: living.Run}
	want := fmt.Sprintf("run %s: process %d on ", living.Run, os.Getpid())
	if _, err := readRunState(s, run); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "still coordinates this run") {
		t.Errorf("%v, want %q", err, want)
	}
	living.release() // as the end of the process does
	next, err := readRunState(s, run)
	if err != nil || next.Agents != "wait:1" {
		t.Fatalf("%+v, %v", next, err)
	}
	if _, err := readRunState(s, run); err == nil {
		t.Error("it is resumed twice at once")
	}
	if err := next.remove(); err != nil {
		t.Error(err)
	}
	next.release()
	if _, err := readRunState(s, run); err == nil || !strings.Contains(err.Error(), "there is no ") {
		t.Errorf("what is over is resumed: %v", err)
	}
}

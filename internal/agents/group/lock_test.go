//go:build linux || darwin

package group

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A run is not resumed while its coordinator lives: two at once would open one store, and the
// second deletes what the first writes.
func TestARunThatIsCoordinatedIsNotResumed(t *testing.T) {
	dir := t.TempDir()
	home := func(name string) string { return map[string]string{"XDG_STATE_HOME": dir}[name] }
	living, err := newState(home, State{Run: "r", Options: Options{Agents: "wait:1", OnLoss: "retry", MaxSkew: 1, Lease: time.Second, Wait: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	run := results.Run{ID: living.Run}
	want := fmt.Sprintf("process %d on ", os.Getpid())
	if _, err := Read(home, run); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	living.Close() // as the end of the process does
	next, err := Read(home, run)
	if err != nil || next.Agents != "wait:1" {
		t.Fatalf("%+v, %v", next, err)
	}
	if _, err := Read(home, run); err == nil {
		t.Error("it is resumed twice at once")
	}
	if err := next.Remove(); err != nil {
		t.Error(err)
	}
	next.Close()
	if _, err := Read(home, run); err == nil {
		t.Error("a run that is over is resumed")
	}
}

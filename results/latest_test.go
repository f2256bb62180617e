package results_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// began makes a run that began so many minutes after midnight.
func began(t *testing.T, out, name string, minute int) *results.Store {
	t.Helper()
	at := time.Date(2026, 11, 22, 0, minute, 0, 0, time.UTC)
	s, err := results.Create(out, name, at)
	if err == nil {
		err = s.SaveRun(results.Run{Name: name, Started: at})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantLatest(t *testing.T, out string, want *results.Store) {
	t.Helper()
	got, err := results.Latest(out)
	if err != nil || got.Dir() != want.Dir() {
		t.Errorf("the last run is %+v, %v; want %s", got, err, want.Dir())
	}
}

func TestLatest(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if _, err := results.Latest(out); err == nil {
		t.Error("a folder that does not exist has a last run")
	}
	second := began(t, out, "second", 2)
	first := began(t, out, "first", 1)
	wantLatest(t, out, second) // without a link the runs say it
	first.Link()
	wantLatest(t, out, first)
	second.Link()
	wantLatest(t, out, second)
	if to, err := os.Readlink(filepath.Join(out, results.LatestLink)); err != nil || to != filepath.Base(second.Dir()) {
		t.Errorf("the link leads to %q, %v: want a link that moves with its folder", to, err)
	}
	if err := os.RemoveAll(second.Dir()); err != nil {
		t.Fatal(err)
	}
	wantLatest(t, out, first) // the link leads to nothing
	if left, _ := filepath.Glob(filepath.Join(out, results.LatestLink+".*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// What else is called latest is not touched, and not followed.
func TestALatestThatIsNoLink(t *testing.T) {
	out := t.TempDir()
	run := began(t, out, "run", 1)
	latest := filepath.Join(out, results.LatestLink)
	if err := os.WriteFile(latest, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	run.Link()
	if text, err := os.ReadFile(latest); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	wantLatest(t, out, run)
	if err := errors.Join(os.Remove(latest), os.Symlink("/", latest)); err != nil {
		t.Fatal(err)
	}
	wantLatest(t, out, run)
}

// Two runs that begin at once leave a link to one of them, at every moment.
func TestLinksOfRunsThatBeginAtOnce(t *testing.T) {
	out := t.TempDir()
	a, b := began(t, out, "a", 1), began(t, out, "b", 2)
	a.Link()
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 200 {
			b.Link()
		}
	})
	for range 200 {
		if _, err := os.Stat(filepath.Join(out, results.LatestLink, results.RunFile)); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	wantLatest(t, out, b)
}

func TestList(t *testing.T) {
	out := t.TempDir()
	b, a := began(t, out, "b", 2), began(t, out, "a", 3)
	broken := began(t, out, "c", 4)
	a.Link()
	if err := errors.Join(os.WriteFile(filepath.Join(broken.Dir(), results.RunFile), []byte("{"), 0o600), os.Mkdir(filepath.Join(out, "other"), 0o700)); err != nil {
		t.Fatal(err)
	}
	list, err := results.List(out)
	if err != nil || len(list) != 3 || list[0].Dir != a.Dir() || list[1].Run.Name != "b" || list[1].Dir != b.Dir() || list[2].Err == nil {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := results.List(filepath.Join(out, "absent")); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := results.List(filepath.Join(broken.Dir(), results.RunFile)); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file: %v", err)
	}
}

func TestWithoutLatest(t *testing.T) {
	out := t.TempDir()
	run, other := began(t, out, "run", 1), began(t, out, "other", 2)
	run.Link()
	latest := filepath.Join(out, results.LatestLink)
	for _, tt := range []struct{ paths, want []string }{
		{[]string{run.Dir(), other.Dir(), latest}, []string{run.Dir(), other.Dir()}},
		{[]string{latest + "/", run.Dir() + "/"}, []string{run.Dir() + "/"}},
		{[]string{latest, other.Dir()}, []string{latest, other.Dir()}},
		{[]string{run.Dir(), run.Dir()}, []string{run.Dir(), run.Dir()}},
	} {
		if got := results.WithoutLatest(tt.paths); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.paths, got, tt.want)
		}
	}
}

//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// A journal that was cut short goes on after its last whole line.
func TestJournal(t *testing.T) {
	c, name := powerCuts()[0], filepath.Join(t.TempDir(), "journal")
	kept := newEntry(c, "nats", outcome{version: "NATS 2", audit: &results.Audit{Acked: 1200, Missing: 3}, witness: confirmed})
	reopened := func() *journal {
		j, err := openJournal(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return j
	}
	j := reopened()
	if err := j.add(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := j.WriteString(`{"Cut":"mach`); err != nil {
		t.Fatal(err)
	}
	later := newEntry(c, "nats", outcome{problem: "gone"})
	if err := reopened().add(later); err != nil {
		t.Fatal(err)
	}
	j = reopened()
	if got, want := j.of(c, "nats"), []entry{kept, later}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := j.of(powerCuts()[1], "nats"); len(got) > 0 {
		t.Errorf("of another cut: %+v", got)
	}
	if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(name); err == nil {
		t.Error("no error of a file that is no journal")
	}
}

// A row sums up the cuts that are decided, and counts the others.
func TestSum(t *testing.T) {
	list := []entry{
		{Version: "NATS 2", Acked: 1200, Lost: 3, Witness: confirmed},
		{Version: "NATS 2", Acked: 300, Lost: 7, Witness: ", no witness"},
		{Problem: "gone"},
		{Problem: "gone"},
	}
	for _, c := range []struct{ got, want []string }{
		{sum(list, 10), []string{"NATS 2", "2 of 10", "1,500", "10", "3 to 7", "1 of 2", "2 × gone "}},
		{sum([]entry{{Acked: 5}, {Acked: 5, Lost: 2}, {Acked: 5}}, 3), []string{"", "3 of 3", "15", "2", "0 to 2, lost in 1 of 3", "0 of 3", ""}},
		{sum(list[2:], 3), []string{"", "0 of 3", "–", "–", "–", "–", "2 × gone "}},
		{sum(nil, 3), []string{"", "0 of 3", "–", "–", "–", "–", ""}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

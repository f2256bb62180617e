package powercut_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/powercut"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// page is the one with the table that make power-cut writes.
const page = "../../docs/durability.md"

// table returns the rows of the page's table.
func table(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, made, _ := strings.Cut(string(text), "<!-- begin: written by make power-cut -->")
	made, _, _ = strings.Cut(made, "<!-- end:")
	for line := range strings.Lines(made) {
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		if len(row) == 12 {
			rows = append(rows, row)
		}
	}
	return rows
}

// number reads a number of the table.
func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The tests are those rows of the page that have a level which promises something, one node without power, and synced
// servers.
func TestEveryTestIsOnThePage(t *testing.T) {
	tests := powercut.All()
	for _, row := range table(t) {
		level := requester.Durability(row[0])
		if !powercut.Testable(level) || row[2] != "1" || row[3] != "synced" {
			continue
		}
		product, version, _ := strings.Cut(row[5], " ")
		i := slices.IndexFunc(tests, func(a powercut.Test) bool {
			return a.Level == level && a.Product == product && a.Version == version
		})
		if i < 0 {
			t.Errorf("%v is no test", row)
			continue
		}
		decided, _, _ := strings.Cut(row[6], " ")
		a := tests[i]
		if !strings.HasPrefix(row[4], a.Broker) || int64(a.Cuts) != number(t, decided) || a.Acked != number(t, row[7]) || a.Lost != number(t, row[8]) {
			t.Errorf("got %+v, want %v", a, row)
		}
		tests = slices.Delete(tests, i, i+1)
	}
	if len(tests) > 0 {
		t.Errorf("not on the page: %v", tests)
	}
}

// A broker is covered by a test of the same version, client and setting.
func TestCovers(t *testing.T) {
	test := powercut.Test{
		Product: "Redis", Version: "8.0.2", Client: "github.com/redis/go-redis/v9", Level: requester.Machine,
		Setting: results.Setting{Name: "server-appendfsync", Value: "always"},
	}
	measured := results.Broker{
		Product: "Redis", Version: "8.0.2 (jemalloc)", Client: "github.com/redis/go-redis/v9@v9.1.0",
		Settings: []results.Setting{{Name: "other", Value: "always"}, {Name: "server-appendfsync", Value: "always"}},
	}
	if !test.Covers(measured) {
		t.Error("the broker of the test is not covered")
	}
	for name, change := range map[string]func(*results.Broker){
		"product": func(b *results.Broker) { b.Product = "Valkey" },
		"version": func(b *results.Broker) { b.Version = "8.0.20" },
		"client":  func(b *results.Broker) { b.Client = "" },
		"setting": func(b *results.Broker) { b.Settings[1].Value = "everysec" },
	} {
		other := measured
		other.Settings = slices.Clone(measured.Settings)
		change(&other)
		if test.Covers(other) {
			t.Errorf("another %s is covered", name)
		}
	}
}

// Levels that promise nothing have no note, and every test has one.
func TestNote(t *testing.T) {
	for _, a := range powercut.All() {
		b := results.Broker{Product: a.Product, Version: a.Version, Client: a.Client + "@v1.2.3", Settings: []results.Setting{a.Setting}}
		if note := powercut.Note(b, a.Level); !strings.Contains(note, a.String()) {
			t.Errorf("%+v: %q", a, note)
		}
		b.Version = "0"
		if note := powercut.Note(b, a.Level); strings.Contains(note, a.String()) || !strings.Contains(note, a.Name()) {
			t.Errorf("another version than %s: %q", a.Name(), note)
		}
		if note := powercut.Note(b, requester.Process); note != "" {
			t.Errorf("process: %q", note)
		}
	}
}

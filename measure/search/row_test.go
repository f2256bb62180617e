package search_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/measure/search"
)

func TestNoSearchIsAnEmptyList(t *testing.T) {
	text, err := json.Marshal(search.NewDocument(search.Config{}, nil))
	if err != nil || !strings.Contains(string(text), `"searches":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestWorst(t *testing.T) {
	// From the best to the worst: a worse one decides.
	order := []search.Status{search.Found, search.AtMax, search.ByClient, search.NotKnown, search.NotKept, search.Unfinished}
	var rows []search.Row
	if got := search.Worst(nil); got != search.Found {
		t.Errorf("no search: %s", got)
	}
	for _, status := range order {
		rows = append([]search.Row{{Status: status}}, rows...)
		if got := search.Worst([]search.Result{{Rows: rows[1:]}, {Rows: rows[:1]}}); got != status {
			t.Errorf("%d rows: %s, want %s", len(rows), got, status)
		}
	}
}

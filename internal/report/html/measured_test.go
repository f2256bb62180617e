package html_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// A cell says what its client measured, and one whose client does not tell has no heading for
// it.
func TestACellSaysWhatItsClientMeasured(t *testing.T) {
	store := newStore(t, "measured", measurement{target: "batches", rate: 2000, window: 4, change: func(c *results.Cell) {
		c.Measured = []results.Setting{{Name: "records/batch", Value: "1.42"}, {Name: "EndTxn-p99", Value: "2.9ms"}}
	}}, measurement{target: "silent", rate: 2000, window: 4})
	b := show(t, "light", store)
	for i, want := range []bool{true, false} {
		b.openCell(i)
		var text string
		b.eval(`document.querySelector("#cell").textContent`, &text)
		if got := strings.Contains(text, "Measured by the client"); got != want || got != strings.Contains(text, "records/batch1.42EndTxn-p992.9ms") {
			t.Errorf("cell %d: %v, want %v: %s", i, got, want, text)
		}
	}
}

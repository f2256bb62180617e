package report_test

import (
	"os"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// Of two cells B is slower in one; in the other nothing is shown, and a percentile has
// too few messages above it.
func TestAB(t *testing.T) {
	const file = "../compare/ab/testdata/ab.json"
	r := new(ab.Result)
	kept(t, file, r)
	d := report.AB(r, nil, nil)
	wantGolden(t, "ab", d)
	wantNarrow(t, written(t, d, document.Text))
	text, err := os.ReadFile(file)
	if got := written(t, d, document.JSON); err != nil || got != string(text) {
		t.Errorf("JSON differs from %s, %v", file, err)
	}
}

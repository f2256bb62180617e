package report_test

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

func TestMerge(t *testing.T) {
	var sum merge.Sum
	kept(t, "../merge/testdata/sum.json", &sum)
	d := report.Merge(&sum)
	wantGolden(t, "merge", d)
	wantJSON(t, d, sum)
	rows := rows(t, written(t, d, document.CSV))
	if len(rows) != 5 || rows[4][0] != "sum" {
		t.Fatalf("%v", rows)
	}
	if at := slices.Index(rows[0], "p100_ns"); rows[4][at] != "" || rows[1][at] == "" {
		t.Errorf("the maximum is %q of the sum, %q of the first", rows[4][at], rows[1][at])
	}
}

package comparison_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

const comparisonsFile = "../../compare/testdata/all.json"

// comparisons are two: the first has one of each: all answers and methods, an
// INVALID cell, missing messages, cells of one side, what differs, and conditions.
// The second is of one cell that is the same.
func comparisons(t *testing.T) []*compare.Comparison {
	t.Helper()
	var all struct{ Comparisons []*compare.Comparison }
	kept(t, comparisonsFile, &all)
	return all.Comparisons
}

func TestCompare(t *testing.T) {
	d := comparison.Compare(comparisons(t))
	wantGolden(t, "compare", d)
	text, err := os.ReadFile(comparisonsFile)
	if got := written(t, d, document.JSON); err != nil || got != string(text) {
		t.Errorf("JSON differs from %s, %v:\n%s", comparisonsFile, err, got)
	}
}

// An answer comes with its ratio and interval, never with a percentage.
func TestNoBarePercentage(t *testing.T) {
	c := comparisons(t)[0]
	c.FailOn, c.Pairs, c.New.Dir = nil, c.Pairs[:1], c.Base.Dir // of one session
	for _, format := range []document.Format{document.Text, document.Markdown} {
		text := written(t, comparison.Compare([]*compare.Comparison{c}), format)
		for line := range strings.Lines(text) {
			if strings.Contains(line, "slower") && strings.Contains(line, "p99 ") && (strings.Contains(line, "%") || !strings.Contains(line, "1.199")) {
				t.Errorf("%q", line)
			}
		}
		if !strings.Contains(text, "1.199") || strings.Count(text, "%") != 1 {
			t.Errorf("want the ratio, and no percentage but that of confidence:\n%s", text)
		}
	}
}

// What is shown are the values whose ratio is shown: "3.789 → 3.690 is 1.000" cannot be.
func TestTheRatioIsThatOfTheValues(t *testing.T) {
	judged := 0
	for _, c := range comparisons(t) {
		for _, p := range c.Pairs {
			for _, r := range p.Rows {
				if r.Ratio == nil {
					continue
				}
				judged++
				if got := float64(*r.NewNS) / float64(*r.BaseNS); math.Abs(got / *r.Ratio - 1) > 1e-5 {
					t.Errorf("%s p%v: %d → %d is %v, not %v", p.Base.ID, r.Percentile, *r.BaseNS, *r.NewNS, got, *r.Ratio)
				}
			}
		}
	}
	if judged < 20 {
		t.Errorf("only %d ratios", judged)
	}
}

// Two sessions are named above the table, unless they were measured by turns or are one run.
func TestSessionsAreNamedFirst(t *testing.T) {
	c := comparisons(t)[1]
	for _, tt := range []struct {
		base, next string
		order      compare.Order
		want       bool
	}{
		{"a", "b", "", true},
		{"a", "b", compare.InARow, true},
		{"a,b", "c,d", compare.Alternating, false},
		{"a@nats", "a@redis", "", false},
	} {
		c.Base.Dir, c.New.Dir, c.Pairs[0].Order = tt.base, tt.next, tt.order
		text := written(t, comparison.Compare([]*compare.Comparison{c}), document.Text)
		at, table := strings.Index(text, "Two sessions"), strings.Index(text, "BASE ms")
		if (at >= 0 && at < table) != tt.want {
			t.Errorf("%+v: at %d, the table at %d", tt, at, table)
		}
	}
}

// Every line fits a terminal, also where an interval says nothing and an answer has a
// note.
func TestComparisonsFit(t *testing.T) {
	for line := range strings.Lines(written(t, comparison.Compare(comparisons(t)), document.Text)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > document.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// A table has as many fields in each row as in its head, whatever names hold.
func TestMarkdownOfHostileNames(t *testing.T) {
	c := comparisons(t)[1]
	c.Pairs[0].Base.ID, c.Pairs[0].New.ID = "a|b\n<script>`*_[x]", "a|b\n<script>`*_[x]"
	c.Differences = []compare.Difference{{Where: "a|b", Name: "x|y", Base: "", New: "<img src=x>\n| z |"}}
	text := written(t, comparison.Compare([]*compare.Comparison{c}), document.Markdown)
	for line := range strings.Lines(text) {
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		if strings.HasPrefix(line, "|") && bars != 10 {
			t.Errorf("%d fields: %q", bars-1, line)
		}
	}
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") {
		t.Errorf("HTML went through:\n%s", text)
	}
}

func TestNothingToJudge(t *testing.T) {
	c := comparisons(t)[1]
	c.Judged = 0
	text := written(t, comparison.Compare([]*compare.Comparison{c}), document.Text)
	if !strings.Contains(text, "No percentile can be judged") || strings.Contains(text, "confidence") {
		t.Error(text)
	}
}

// A pair whose cells have different shapes is named by both.
func TestNamesOfForcedPairs(t *testing.T) {
	c := comparisons(t)[1]
	c.Pairs[0].New.ID, c.Pairs[0].New.Shape.Size = "nats-1000-64B-c1-fopen", 64
	text := written(t, comparison.Compare([]*compare.Comparison{c}), document.Text)
	if !strings.Contains(text, "nats, 1 KiB at 1,000/s → nats, 64 B at 1,000/s: 3 runs against 3") {
		t.Error(text)
	}
}

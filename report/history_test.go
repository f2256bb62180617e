package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/ab"
	"github.com/brokerbench/brokerbench/results/history"
	"github.com/brokerbench/brokerbench/results/rank"
)

const (
	historyFile = "../results/history/testdata/history.json"
	rankingFile = "../results/rank/testdata/ranking.json"
)

// The history has a step in the newest runs, an episode in which messages were lost, a
// run that is INVALID, and a cell of one run.
func TestHistory(t *testing.T) {
	h := new(history.History)
	kept(t, historyFile, h)
	d := report.History(h)
	wantGolden(t, "history", d)
	wantNarrow(t, written(t, d, document.Text))
	text, err := os.ReadFile(historyFile)
	if got := written(t, d, document.JSON); err != nil || got != string(text) {
		t.Errorf("JSON differs from %s, %v", historyFile, err)
	}
}

// The first shape has four targets and a winner, the second an unranked one and two
// that cannot be told apart.
func TestRank(t *testing.T) {
	r := new(rank.Ranking)
	kept(t, rankingFile, r)
	d := report.Rank(r)
	wantGolden(t, "rank", d)
	wantNarrow(t, written(t, d, document.Text))
	text, err := os.ReadFile(rankingFile)
	if got := written(t, d, document.JSON); err != nil || got != string(text) {
		t.Errorf("JSON differs from %s, %v", rankingFile, err)
	}
}

// One repeat names no winner, in words.
func TestRankOfOneRepeat(t *testing.T) {
	r := new(rank.Ranking)
	kept(t, rankingFile, r)
	r.Judged = 0
	for i := range r.Shapes {
		r.Shapes[i].Repeats = 1
		for j := range r.Shapes[i].Rows {
			row := &r.Shapes[i].Rows[j]
			row.Winner, row.Order = "", strings.ReplaceAll(row.Order, "<", "≤")
		}
	}
	text := strings.Join(strings.Fields(written(t, report.Rank(r), document.Text)), " ")
	if !strings.Contains(text, "no winner is named (run --repeat 5)") || strings.Contains(text, " wins") {
		t.Error(text)
	}
}

// Of two cells B is slower in one; in the other nothing is shown, and a percentile has
// too few messages above it.
func TestAB(t *testing.T) {
	const file = "../results/ab/testdata/ab.json"
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

package comparison_test

import (
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare/history"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

const (
	historyFile = "../../compare/history/testdata/history.json"
	rankingFile = "../../compare/rank/testdata/ranking.json"
)

// The history has a step in the newest runs, an episode in which messages were lost, a
// run that is INVALID, and a cell of one run.
func TestHistory(t *testing.T) {
	h := new(history.History)
	kept(t, historyFile, h)
	d := comparison.History(h)
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
	d := comparison.Rank(r)
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
	text := strings.Join(strings.Fields(written(t, comparison.Rank(r), document.Text)), " ")
	if !strings.Contains(text, "no winner is named (run --repeat 5)") || strings.Contains(text, " wins") {
		t.Error(text)
	}
}

package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// Rank shows for each shape and percentile in which order the targets are, and how
// many times as long as the first the others take. As JSON it is the [rank.Ranking].
func Rank(r *rank.Ranking) *document.Document {
	var d document.Document
	head := []string{"", "target", "ms", "× the first", "interval", "against the first"}
	var groups []document.Group
	for _, s := range r.Shapes {
		for _, row := range s.Rows {
			title := fmt.Sprintf("%v, p%s: %s", s.Shape, format.Number(row.Percentile), orderText(row))
			groups = append(groups, document.Group{Title: title, Name: s.Shape.String(), Rows: placeRows(row)})
		}
	}
	d.Say(fmt.Sprintf("%s: the fastest targets at each percentile", origin(r.Dir, r.Started)))
	d.ShowGroups("shape", document.Table{Head: head, Align: "llrrrl"}, groups)
	for _, g := range groups {
		d.Add("", document.Escape(g.Title)+"\n")
	}
	d.Note(rankNotes(r)...)
	d.Exact(rankTable(r), r)
	return &d
}

// orderText writes an order with its exceptions and the winner.
func orderText(row rank.Row) string {
	text := cmp.Or(row.Order, "no target can be ranked")
	if len(row.Except) > 0 {
		text += ", but " + strings.Join(row.Except, ", ")
	}
	if row.Winner != "" {
		text += ": " + row.Winner + " wins"
	}
	return text
}

// placeRows returns a row for each target, with its comparison with the first.
func placeRows(row rank.Row) (rows [][]string) {
	percentile := words.Percentile(row.Percentile)
	for i, p := range row.Places {
		fields := []string{percentile, p.Target, format.Marked(&p.NS, len(p.Limits) == 0 && !p.Suspect), "1", "", ""}
		if i > 0 {
			ratio, answer := toFirst(row, p.Target)
			fields[3], fields[4], fields[5] = format.Times(ratio), format.RatioInterval(ratio), answer
		}
		rows = append(rows, fields)
	}
	for _, u := range row.Unranked {
		rows = append(rows, []string{percentile, u.Target, "-", "-", "-", "not ranked: " + u.Reason})
	}
	return rows
}

// toFirst returns the ratio of a target to the first one, and the answer.
func toFirst(row rank.Row, target string) (ratio stats.PairRatio, answer string) {
	first := row.Places[0].Target
	for _, v := range row.Versus {
		if v.First != first || v.Second != target {
			continue
		}
		if v.Answer == rank.Faster {
			return v.Ratio, "slower"
		}
		return v.Ratio, string(v.Answer)
	}
	return stats.PairRatio{}, "no repeat in common"
}

func rankNotes(r *rank.Ranking) (lines []string) {
	if r.Judged > 0 {
		lines = append(lines, fmt.Sprintf("<: shown to be faster; ≈: cannot be told apart, which is not: the same. ms is that of all repeats together; ratios are "+
			"the geometric means of those of the repeats as pairs, of eight or more without the highest and the lowest. If nothing differs, there is no < with %g %% confidence (%s judged "+
			"together), provided that targets keep nothing from repeat to repeat, such as their placement on the machine: else join runs of one repeat, "+
			"with the targets started again before each (compare RUN,RUN,RUN,RUN).", 100*r.Confidence, words.Plural(r.Judged, "pair")))
	}
	if tooFew(r) {
		lines = append(lines, fmt.Sprintf("too few repeats: on a machine that is slow in some runs they may agree by chance (run --repeat %d)", r.Least))
	}
	if by := doubtsOf(r); len(by) > 0 {
		lines = append(lines, "~: not only the target is in it: "+strings.Join(by, ", "))
	}
	if slices.ContainsFunc(r.Shapes, func(s rank.Shape) bool { return s.Repeats == 1 }) {
		lines = append(lines, "≤: these runs differ, by their own intervals; whether the targets do, only repeats can show: no winner is named (run --repeat 5)",
			"≈: their own intervals overlap; ?: a window too short for an interval, so nothing is known (--duration)")
	}
	for _, s := range r.Shapes {
		var needs []string
		for _, row := range s.Rows {
			if row.Decides > 0 {
				needs = append(needs, fmt.Sprintf("%d at p%s", row.Decides, format.Number(row.Percentile)))
			}
		}
		if len(needs) > 0 {
			lines = append(lines, fmt.Sprintf("%v has %s; to see who is first takes about %s", s.Shape, words.Plural(s.Repeats, "repeat"), strings.Join(needs, ", ")))
		}
	}
	return lines
}

func tooFew(r *rank.Ranking) bool {
	for _, s := range r.Shapes {
		for _, row := range s.Rows {
			if slices.ContainsFunc(row.Versus, func(v rank.Versus) bool { return v.Answer == rank.TooFew }) {
				return true
			}
		}
	}
	return false
}

// doubtsOf returns all limits of the numbers of the ranking, each once.
func doubtsOf(r *rank.Ranking) (by []string) {
	for _, s := range r.Shapes {
		for _, row := range s.Rows {
			for _, p := range row.Places {
				by = append(by, p.Limits...)
				if p.Suspect {
					by = append(by, "a SUSPECT repeat")
				}
			}
		}
	}
	return group.Unique(by)
}

// rankTable has a row for every two targets of every shape and percentile, and one for
// each target that has no place.
func rankTable(r *rank.Ranking) document.Table {
	type line struct {
		Dir, Shape        string
		Row               rank.Row
		First, Second     string
		FirstNS, SecondNS *int64
		Ratio             *stats.PairRatio
		Answer, Reason    string
	}
	var lines []line
	for _, s := range r.Shapes {
		for _, row := range s.Rows {
			ns := make(map[string]*int64)
			for _, p := range row.Places {
				ns[p.Target] = &p.NS
			}
			for _, v := range row.Versus {
				lines = append(lines, line{r.Dir, s.Name, row, v.First, v.Second, ns[v.First], ns[v.Second], &v.Ratio, string(v.Answer), ""})
			}
			for _, u := range row.Unranked {
				lines = append(lines, line{Dir: r.Dir, Shape: s.Name, Row: row, First: u.Target, Answer: "not ranked", Reason: u.Reason})
			}
		}
	}
	return document.Records(lines, "dir=Dir shape=Shape percentile=Row/Percentile order=Row/Order winner=Row/Winner first=First second=Second",
		"first_ns=FirstNS second_ns=SecondNS", format.RatioColumns, "answer=Answer reason=Reason")
}

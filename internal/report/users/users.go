// Package users shows the times of users who need several messages each.
package users

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// Show shows for each cell with users the worst time and the sum of each kind, and the share of users beyond limits,
// beside the naive numbers. Name names a cell among others.
func Show(d *document.Document, cells []*results.Cell, name func(c *results.Cell, among []*results.Cell) string) {
	for _, c := range cells {
		if len(c.Users) == 0 || c.OfSize > 1 {
			continue
		}
		d.Say(fmt.Sprintf("%s %s: users who need several messages. In ms, worst is the longest response of a user's messages, sum that of all; naive is worst if messages were independent%s.",
			name(c, cells), c.Plan.Shape.Rate, map[bool]string{true: ". Messages in parallel are those of one agent"}[len(c.Agents) > 0 && parallel(c)]))
		d.Show(times(c))
		if shares := beyond(c); len(shares.Rows) > 0 {
			d.Show(shares)
		}
	}
}

func parallel(c *results.Cell) bool {
	for _, u := range c.Users {
		if u.Kind.Parallel {
			return true
		}
	}
	return false
}

// times returns the percentiles of each kind.
func times(c *results.Cell) document.Table {
	t := document.Table{Align: "lr", Gap: 1, Head: []string{"user", "users", "unfinished", "worst p50", "naive", "worst p99", "95 %", "naive", "max", "sum p50", "p99"}}
	for _, u := range c.Users {
		p99, _ := u.Worst.At(99)
		row := []string{
			u.Kind.String(), words.Count(u.Due), words.Count(u.Worst.Missing), format.Value(u.Worst, 50), format.Millis(u.Naive(50)),
			format.Value(u.Worst, 99), format.Interval(p99.LowNS, p99.HighNS), format.Millis(u.Naive(99)), format.Value(u.Worst, 100), "", "",
		}
		if u.Sum != nil {
			row = append(row[:len(row)-2], format.Values(*u.Sum, 50, 99)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// beyond returns the shares of users beyond limits.
func beyond(c *results.Cell) document.Table {
	t := document.Table{Align: "llr", Gap: 1, Head: []string{"user", "limit", "ms", "users above", "95 %", "naive"}}
	for _, u := range c.Users {
		for _, o := range u.Over {
			t.Rows = append(t.Rows, []string{
				u.Kind.String(), o.Limit, format.Millis(&o.LimitNS), format.Percentage(o.Share),
				format.Percentage(o.Low) + "–" + format.Percentage(o.High), format.Percentage(o.Naive),
			})
		}
	}
	return t
}

package judge

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// PooledSLOs returns the outcomes of the objectives of cells that are repeats of each other. A
// percentile and a loss are those of all repeats together, over the time of all of them; every
// other objective must be passed in each.
func PooledSLOs(cells []*results.Cell) (list []results.SLO) {
	cells = results.Whole(cells, func(c *results.Cell) *results.Cell { return c })
	all := together(cells)
	remedy := "measure for longer"
	if len(cells) > 1 {
		remedy = "measure more repeats"
	}
	slos(all, remedy)
	for i, s := range all.SLOs {
		if !pools(s.Objective) {
			s = worst(cells, i)
		}
		for _, c := range cells {
			if why := unmade(c); why != "" {
				s = undecided(s, c.Plan.String()+": "+why)
			}
		}
		list = append(list, s)
	}
	return list
}

// pools reports whether an objective limits a ratio of messages.
func pools(o plan.Objective) bool {
	return o.Metric == "loss" || o.Metric == "" && o.Percentile < 100 && o.Series != "lag" && o.Series != "held"
}

// together returns a cell with the messages of all repeats, in the series that objectives limit.
func together(cells []*results.Cell) *results.Cell {
	all := &results.Cell{Plan: cells[0].Plan, Audit: cells[0].Audit, Verdict: results.Valid}
	all.Plan.Settings.Duration *= time.Duration(len(cells))
	series := make(map[string][]results.Distribution)
	for _, c := range cells {
		all.Ledger.Add(c.Ledger)
		if c.Verdict.Worse(all.Verdict) {
			all.Verdict = c.Verdict
		}
		for _, name := range c.SeriesNames() {
			if slices.ContainsFunc(all.Plan.SLOs, func(o plan.Objective) bool { return o.Series == name }) {
				series[name] = append(series[name], c.Series(name))
			}
		}
	}
	all.Users = slices.Clone(cells[0].Users)
	for i, u := range all.Users {
		worst, sum := results.OfUser(i)
		all.Users[i].Worst = results.Pooled(seriesOfAll(cells, worst))
		if u.Sum != nil {
			pooled := results.Pooled(seriesOfAll(cells, sum))
			all.Users[i].Sum = &pooled
		}
	}
	all.Response, all.Service = results.Pooled(series["response"]), results.Pooled(series["service"])
	if series["ack"] != nil || series["complete"] != nil {
		all.Ack, all.Complete = new(results.Pooled(series["ack"])), new(results.Pooled(series["complete"]))
	}
	return all
}

// seriesOfAll returns a series of each cell.
func seriesOfAll(cells []*results.Cell, name string) (list []results.Distribution) {
	for _, c := range cells {
		list = append(list, c.Series(name))
	}
	return list
}

// worst returns the worst outcome of the i-th objective in any repeat.
func worst(cells []*results.Cell, i int) (s results.SLO) {
	for _, c := range cells {
		if i < len(c.SLOs) && graver(c.SLOs[i].Outcome, s.Outcome) {
			s = c.SLOs[i]
		}
	}
	return s
}

package users

import (
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Due returns how many users of each kind of a list have all of their messages in the window, until an offset.
func Due(cfg load.Config, list []plan.User, till time.Duration) []int64 {
	due := make([]int64, len(list))
	if len(list) == 0 {
		return due // counting takes time
	}
	all := int64(0)
	for _, part := range cfg.Parts() {
		counter := cfg.Schedule.Counter(part)
		begin := counter.Until(cfg.Warmup)
		n := int64(counter.Until(max(till, cfg.Warmup)) - begin)
		all += n
		for i, of := range list {
			if !of.Parallel {
				due[i] += n / int64(of.Messages)
			}
		}
	}
	for i, of := range list {
		if of.Parallel {
			due[i] = all / int64(of.Messages)
		}
	}
	return due
}

// Describe writes the times of users into a result: of each kind so many users were due, and so many given up.
func Describe(c *results.Cell, due, givenUp []int64, t record.Histograms) {
	for i, of := range c.Plan.Users() {
		worst, sum := record.OfUser(i)
		if t[worst] == nil {
			return
		}
		due[i] = max(due[i], t[worst].Count()) // the last before an interruption
		missing := due[i] - t[worst].Count()
		r := results.User{Kind: of, Due: due[i], GivenUp: givenUp[i], Worst: results.NewDistribution(t[worst], missing)}
		if !of.Parallel {
			all := results.NewDistribution(t[sum], missing)
			r.Sum = &all
		}
		c.Users = append(c.Users, r)
	}
}

// Compare writes into a result the naive times and shares, which those of messages give, and the shares of users beyond
// limits. Of returns the series of a number; nil if it has no values.
func Compare(c *results.Cell, of func(series int) *confidence.Series) {
	messages := of(record.Response)
	if messages == nil || messages.Values() == nil {
		return
	}
	for i := range c.Users {
		u := &c.Users[i]
		u.NaiveNS, u.Over = nil, nil
		for _, row := range u.Worst.Percentiles {
			share := math.Pow(row.Percentile/100, 1/float64(u.Kind.Messages))
			v, _, known := messages.Values().QuantileOf(100*share, c.Ledger.Due)
			naive := (*int64)(&v)
			if !known {
				naive = nil
			}
			u.NaiveNS = append(u.NaiveNS, naive)
		}
		worst, _ := record.OfUser(i)
		if s := of(worst); s != nil && s.Values() != nil {
			for _, at := range limits(c, u.Kind) {
				message, _, _ := messages.Beyond(at.within, c.Ledger.Missing())
				at.Naive = 1 - math.Pow(1-message, float64(u.Kind.Messages))
				at.Share, at.Low, at.High = s.Beyond(at.within, u.Worst.Missing)
				u.Over = append(u.Over, at.UsersBeyond)
			}
		}
	}
}

// A limit is a time that the worst response of a user should not exceed.
type limit struct {
	results.UsersBeyond

	within time.Duration // the longest time that keeps it
}

// limits returns the limits of a cell's objectives of the response and of users of a kind; without any, that p99 of the
// response.
func limits(c *results.Cell, of plan.User) (list []limit) {
	for _, o := range c.Plan.SLOs {
		if o.Metric != "" || o.Series != "response" && o.Series != of.Series(false) || o.Operator != "<" && o.Operator != "<=" {
			continue
		}
		one := limit{results.UsersBeyond{Limit: o.String(), LimitNS: int64(o.Limit)}, time.Duration(o.Limit)}
		if o.Operator == "<" {
			one.within--
		}
		if !slices.ContainsFunc(list, func(other limit) bool { return other.within == one.within }) {
			list = append(list, one)
		}
	}
	p99, _ := c.Response.At(99)
	if v, known := p99.Value(); known && len(list) == 0 {
		list = append(list, limit{results.UsersBeyond{Limit: "p99", LimitNS: int64(v)}, v})
	}
	return list
}

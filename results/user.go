package results

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A User is the result of one kind of users: each needs some messages of the window, and no two need the
// same one.
type User struct {
	Kind plan.User `json:"kind"` // such as "50 in sequence"
	Due  int64     `json:"due"`  // users all of whose messages were due

	// GivenUp counts the users who waited for a message so long that others were in their place: they count as
	// users who never finish, and may have finished later.
	GivenUp int64 `json:"given_up"`

	// Worst has the longest response of each user's messages, and Sum their sum. Users who miss a message rank
	// above every value. Sum is absent of messages in parallel.
	Worst Distribution  `json:"worst"`
	Sum   *Distribution `json:"sum,omitempty"`

	// NaiveNS are the percentiles of Worst, in the same order, that the response times would give if messages were
	// independent; null: unknown.
	NaiveNS []*int64      `json:"naive_ns"`
	Over    []UsersBeyond `json:"over,omitempty"` // shares of users whose worst is above a limit
}

// UsersBeyond is the share of the users whose worst response is above a limit, or never came.
type UsersBeyond struct {
	Limit   string  `json:"limit"`    // the objective, or "p99" of the response
	LimitNS int64   `json:"limit_ns"` // in nanoseconds
	Share   float64 `json:"share"`
	Low     float64 `json:"low"` // 95 % confidence
	High    float64 `json:"high"`
	Naive   float64 `json:"naive"` // 1 − pⁿ for the share p of messages within the limit
}

// Naive returns the naive time of a percentile of Worst; nil if it is unknown.
func (u User) Naive(percentile float64) *int64 {
	for i, row := range u.Worst.Percentiles {
		if row.Percentile == percentile && i < len(u.NaiveNS) {
			return u.NaiveNS[i]
		}
	}
	return nil
}

// UserTakes returns the time from the first due message of a user to the last, on average.
func (c *Cell) UserTakes(u plan.User) time.Duration {
	between := float64(time.Second) / max(float64(c.Plan.Shape.Rate), 1e-3)
	if !u.Parallel {
		between *= float64(max(c.Plan.Shape.Connections, 1))
	}
	return time.Duration(between * float64(u.Messages-1))
}

// OfUser returns the names of the two series of a kind of users, counted from 0, as they are in files.
func OfUser(kind int) (worst, sum string) {
	return fmt.Sprintf("user%d-worst", kind+1), fmt.Sprintf("user%d-sum", kind+1)
}

// ofUser returns the distribution of a series of users, by its name in files or in objectives; nil if there
// is none.
func (c *Cell) ofUser(name string) (d *Distribution, is bool) {
	_, _, is = plan.UserOf(name)
	for kind := range plan.MostUsers {
		worst, sum := OfUser(kind)
		is = is || name == worst || name == sum
		if kind >= len(c.Users) {
			continue
		}
		switch u := &c.Users[kind]; name {
		case worst, u.Kind.Series(false):
			return &u.Worst, true
		case sum, u.Kind.Series(true):
			return u.Sum, true
		}
	}
	return nil, is
}

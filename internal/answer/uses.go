package answer

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// Uses counts the percentiles that a plan asks for, of all targets, and those that can be used.
type Uses struct {
	Usable int      `json:"usable"`
	All    int      `json:"all"`
	Not    []string `json:"not,omitempty"` // why each of the others cannot be used, such as "limited by few events"
}

// Uses counts the numbers of the answer.
func (a *Answer) Uses() (u Uses) {
	for _, s := range a.Shapes {
		for _, t := range s.Targets {
			for _, n := range t.Response {
				if n.Percentile < 100 {
					u.add(n, t.Verdict)
				}
			}
		}
	}
	return u
}

func (u *Uses) add(n Number, verdict results.Verdict) {
	u.All++
	switch {
	case verdict == results.Invalid:
		u.Not = append(u.Not, "in INVALID cells")
	case n.Usable:
		u.Usable++
	case n.Limit != "":
		u.Not = append(u.Not, "limited by "+n.Limit)
	default:
		u.Not = append(u.Not, "unknown")
	}
}

// String writes "1 of 3 percentiles can be used; 2 limited by few events".
func (u Uses) String() string {
	text := fmt.Sprintf("%d of %s asked for can be used", u.Usable, words.Plural(u.All, "percentile"))
	separator := "; "
	for _, alike := range group.By(u.Not, func(why string) string { return why }) {
		text += fmt.Sprintf("%s%d %s", separator, len(alike), alike[0])
		separator = ", "
	}
	return text
}

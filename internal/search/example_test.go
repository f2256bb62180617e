package search_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

// Search a system of your own. The p99 of this one grows by a millisecond for each
// 10,000/s. To search a broker, use a Prober.
func ExampleSearch() {
	p99 := func(rate int) time.Duration { return time.Duration(rate) * time.Millisecond / 10_000 }
	probe := func(_ context.Context, p search.Probe) (search.Probe, error) {
		for _, limit := range []time.Duration{time.Millisecond, 5 * time.Millisecond} {
			all := judge.Second{Of: int64(p.Rate), Worst: p99(p.Rate)} // messages in a second
			if p99(p.Rate) >= limit {
				all.Over = all.Of
			}
			window := slices.Repeat([]judge.Second{all}, int(p.Window/time.Second))
			p.Answers = append(p.Answers, search.Judgement{Seconds: window})
		}
		return p, nil
	}
	var cfg search.Config
	for _, text := range []string{"p99<1ms", "p99<5ms"} {
		o, err := plan.ParseObjective(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		cfg.Objectives = append(cfg.Objectives, o)
	}
	r, err := search.Search(context.Background(), cfg, probe)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Rows {
		fmt.Printf("%v: %d/s, not %d/s\n", row.Objective, row.Rate, row.Above)
	}
	// Output:
	// p99<1ms: 9881/s, not 10375/s
	// p99<5ms: 49082/s, not 51536/s
}

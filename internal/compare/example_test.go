package compare_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/internal/compare"
)

// Two sides of three runs, of which the second is half as slow again.
func ExampleCompare() {
	s := system{intervals: 30, ops: 100}
	rng := rand.New(rand.NewPCG(1, 1))
	base, next := set(s.repeats(rng, 3, 1, 1, false)...), set(s.repeats(rng, 3, 1.5, 1, false)...)
	condition, err := compare.ParseCondition("p99>10%")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := compare.Compare(base, next, compare.Options{FailOn: []compare.Condition{condition}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range c.Pairs[0].Rows {
		fmt.Printf("p%v: %s\n", row.Percentile, row.Answer)
	}
	fmt.Println(c.FailOn[0].Condition, c.FailOn[0].Gates[0].Result)
	// Output:
	// p50: slower
	// p99: slower
	// p99.9: not comparable
	// p100: not judged
	// p99>10% failed
}

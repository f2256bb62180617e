package rank_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
)

// Three targets, by turns in each of five repeats. What slows a repeat slows all.
func ExampleRank() {
	nats := repeats("nats", 1, 0.01, -0.01, 0.005, -0.005, 0)
	redis := repeats("redis", 1.5, 0.05, -0.03, 0.02, -0.06, 0.01)
	rabbit := repeats("rabbitmq", 1.52, -0.03, 0.05, -0.02, 0.02, -0.02)
	r, err := rank.Rank(joined(rabbit, redis, nats))
	if err != nil {
		fmt.Println(err)
		return
	}
	row := r.Shapes[0].Rows[0]
	fmt.Printf("p%v: %s, winner: %s\n", row.Percentile, row.Order, row.Winner)
	// Output:
	// p50: nats < redis ≈ rabbitmq, winner: nats
}

package command

import (
	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/compare"
)

// Decisive returns the options that decide what a latency means, of all brokers.
func Decisive(table brokers.Table) (all []compare.Decisive) {
	for _, b := range table {
		for _, d := range b.Decisive {
			all = append(all, compare.Decisive(d))
		}
	}
	return all
}

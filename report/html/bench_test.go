package html_test

import (
	"io"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report/html"
)

// BenchmarkWrite is the report of four cells of 30 s at 3,000/s.
func BenchmarkWrite(b *testing.B) {
	var list []measurement
	for range 4 {
		list = append(list, measurement{
			target: "a", shape: plan.Shape{Rate: 3000, Size: 1024, Connections: 1, Arrivals: "constant"}, repeat: 1, window: 30,
			typical: 150 * time.Microsecond,
		})
	}
	store := newStore(b, "four", list...)
	for b.Loop() {
		if err := html.Write(io.Discard, store); err != nil {
			b.Fatal(err)
		}
	}
}

package html_test

import (
	"io"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/html"
)

// BenchmarkWrite is the report of four cells of 30 s at 3,000/s.
func BenchmarkWrite(b *testing.B) {
	var list []measurement
	for range 4 {
		list = append(list, measurement{target: "a", rate: 3000, window: 30})
	}
	store := newStore(b, "four", list...)
	for b.Loop() {
		if err := html.Write(io.Discard, store); err != nil {
			b.Fatal(err)
		}
	}
}

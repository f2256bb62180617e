package ab_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/compare/ab"
)

// Eight pairs of a machine that drifts by a factor of two, of which B is slower by 5 %.
func ExampleResult_Analyse() {
	var r ab.Result
	r.Analyse([][]ab.Pair{pairsOf(8, 1.05, 0.01)})
	row := r.Cells[0].Rows[0]
	fmt.Printf("p%v: %s, ×%.2f (%.2f to %.2f)\n", row.Percentile, row.Answer, row.Ratio.Ratio, *row.Ratio.Low, *row.Ratio.High)
	// Output:
	// p50: B slower, ×1.05 (1.04 to 1.06)
}

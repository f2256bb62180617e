package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// Fisher returns the p-value of Fisher's one-sided exact test (The logic of inductive
// inference, Journal of the Royal Statistical Society 98, 1935): the probability that a
// or more of n draws are marked if a + b marks are spread over n + m draws by chance.
// 0 ≤ a ≤ n, 0 ≤ b ≤ m.
func Fisher(a, n, b, m int) float64 {
	marked, sum := a+b, 0.0
	for k := a; k <= min(n, marked); k++ {
		if marked-k <= m {
			sum += math.Exp(logChoose(n, k) + logChoose(m, marked-k) - logChoose(n+m, marked))
		}
	}
	return min(sum, 1)
}

func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// BinomialInterval bounds the probability of an event that happened in count of n
// trials (Clopper & Pearson, Biometrika 26, 1934). The numbers need not be whole:
// events that come together count as the number of independent events with the same
// information (Korn & Graubard, Survey Methodology 24, 1998). 0 ≤ count ≤ n.
func BinomialInterval(count, n, level float64) (low, high float64) {
	tail := (1 - level) / 2
	high = 1
	if count > 0 {
		low = distuv.Beta{Alpha: count, Beta: n - count + 1}.Quantile(tail)
	}
	if count < n {
		high = distuv.Beta{Alpha: count + 1, Beta: n - count}.Quantile(1 - tail)
	}
	return low, high
}

// PoissonInterval bounds the mean of a Poisson distribution from which count was drawn
// (Garwood, Biometrika 28, 1936). The count need not be whole.
func PoissonInterval(count, level float64) (low, high float64) {
	tail := (1 - level) / 2
	if count > 0 {
		low = distuv.Gamma{Alpha: count, Beta: 1}.Quantile(tail)
	}
	return low, distuv.Gamma{Alpha: count + 1, Beta: 1}.Quantile(1 - tail)
}

package exact

import "gonum.org/v1/gonum/stat/distuv"

// Share bounds the probability of something that happened in count of n trials
// (Clopper & Pearson, Biometrika 26, 1934), which need not be whole: events that come
// together count as the number of independent ones that say as much (Korn & Graubard,
// Survey Methodology 24, 1998). 0 ≤ count ≤ n, 0 < level < 1.
func Share(count, n, level float64) (low, high float64) {
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

// Mean bounds the mean of a Poisson distribution of which count was drawn (Garwood,
// Biometrika 28, 1936), from both sides. The count need not be whole.
func Mean(count, level float64) (low, high float64) {
	tail := (1 - level) / 2
	if count > 0 {
		low = distuv.Gamma{Alpha: count, Beta: 1}.Quantile(tail)
	}
	return low, distuv.Gamma{Alpha: count + 1, Beta: 1}.Quantile(1 - tail)
}

package stats

import "math"

// Grubbs returns the index of the value farthest from the others, and on which side of
// them it lies (1 or −1), if it is an outlier: farther than such a value of a normal
// distribution is with a probability of chance, and at least by least (Grubbs, Sample
// criteria for testing outlying observations, Annals of Mathematical Statistics 21,
// 1950). Else, and of fewer than three values, the index is −1.
func Grubbs(values []float64, chance, least float64) (index int, side float64) {
	if len(values) < 3 {
		return -1, 0
	}
	mean, _ := Moments(values)
	for i, v := range values {
		if math.Abs(v-mean) > math.Abs(values[index]-mean) {
			index = i
		}
	}
	n := float64(len(values))
	others, variance := Moments(Without(values, index))
	distance := values[index] - others
	if math.Abs(distance) < max(least, StudentQuantile(1-chance/n, n-2)*math.Sqrt(variance*(1+1/(n-1)))) {
		return -1, 0
	}
	return index, math.Copysign(1, distance)
}

// Package student is Student's t distribution: how far the mean of a few values
// may be from the truth, in units of an estimated standard error.
package student

import "math"

// Quantile returns the t that |T| does not exceed with a probability of level, 0
// < level < 1, for T of so many degrees of freedom, which need not be whole: more
// than 0, and +Inf for the normal distribution. It is exact to 1e-9 of its value
// for 0.5 degrees of freedom or more; outside of its range it is NaN.
func Quantile(level, freedom float64) float64 {
	switch {
	case !(level > 0 && level < 1 && freedom > 0):
		return math.NaN()
	case math.IsInf(freedom, 1):
		return math.Sqrt2 * math.Erfinv(level)
	}
	low, high := 0.0, 1.0
	for Beyond(high, freedom) > 1-level {
		low, high = high, 2*high
	}
	// Halving needs no derivative, and cannot run away where the tail is flat.
	for middle := (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2 {
		if Beyond(middle, freedom) > 1-level {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Beyond returns the probability that |T| exceeds t ≥ 0. Source: Abramowitz &
// Stegun, 26.7.1, by the incomplete beta function.
func Beyond(t, freedom float64) float64 {
	switch {
	case t <= 0:
		return 1
	case math.IsInf(freedom, 1):
		return math.Erfc(t / math.Sqrt2)
	}
	return beta(freedom/2, 0.5, freedom/(freedom+t*t), t*t/(freedom+t*t))
}

// beta returns the regularised incomplete beta function I_x(a, b), y being 1 − x,
// which may be too small for a subtraction to give it. Source: DLMF 8.17.4 and
// 8.17.22.
func beta(a, b, x, y float64) float64 {
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	case x > (a+1)/(a+b+2): // the fraction converges fast on this side
		return 1 - beta(b, a, y, x)
	}
	ab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	return math.Exp(ab-la-lb+a*math.Log(x)+b*math.Log(y)) / (a * fraction(a, b, x))
}

// fraction returns the continued fraction of DLMF 8.17.22, by the method of Lentz.
func fraction(a, b, x float64) float64 {
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for n := 1; n < 10_000; n++ {
		var coefficient float64
		m := float64(n / 2)
		if n%2 == 0 {
			coefficient = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		} else {
			coefficient = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonzero(1+coefficient*d, tiny)
		c = nonzero(1+coefficient/c, tiny)
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return f
}

func nonzero(v, tiny float64) float64 {
	if v == 0 {
		return tiny
	}
	return v
}

package histogram

import (
	"strconv"
	"strings"
)

// fixed formats v, which is not negative, as Java's %.nf does. Java rounds the
// shortest decimal that stands for v, halves up. Go rounds v itself, which for
// 1.0005 is a little less and gives 1.000.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) <= decimals {
		return whole + "." + fraction + strings.Repeat("0", decimals-len(fraction))
	}
	digits := []byte(whole + fraction[:decimals])
	if fraction[decimals] >= '5' {
		digits = increment(digits)
	}
	point := len(digits) - decimals
	return string(digits[:point]) + "." + string(digits[point:])
}

// increment adds one to a decimal number.
func increment(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

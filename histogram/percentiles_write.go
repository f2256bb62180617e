package histogram

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WritePercentiles writes h as a .hgrm file, in milliseconds: byte for byte what
// Java's AbstractHistogram.outputPercentileDistribution(out, 5, 1000000.0)
// writes, and what every HdrHistogram plotter reads. It calls w.Write once.
//
// As in Java, the largest value is the upper bound of its bucket, which may be 0.1 %
// above [Histogram.Max].
func WritePercentiles(w io.Writer, h *Histogram) error {
	if err := h.percentiles().write(w, h.digits); err != nil {
		return fmt.Errorf("writing percentiles: %w", err)
	}
	return nil
}

// write writes the table; values have that many decimals.
func (p Percentiles) write(w io.Writer, decimals int) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	for _, row := range p.Rows {
		share := row.Percentile / 100
		fmt.Fprintf(&text, "%12s %s %10d", fixed(row.Value, decimals), fixed(share, 12), row.Count)
		if row.Percentile != 100 {
			fmt.Fprintf(&text, " %14s", fixed(1/(1-share), 2))
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "#[Mean    = %12s, StdDeviation   = %12s]\n", fixed(p.Mean, decimals), fixed(p.StdDev, decimals))
	fmt.Fprintf(&text, "#[Max     = %12s, Total count    = %12d]\n", fixed(p.Max, decimals), p.Count)
	fmt.Fprintf(&text, "#[Buckets = %12d, SubBuckets     = %12d]\n", p.Buckets, p.SubBuckets)
	_, err := w.Write(text.Bytes())
	return err
}

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

package histogram

import "testing"

// TestFixed expects what Java's String.format prints, which go's fmt does not.
func TestFixed(t *testing.T) {
	for _, c := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 3, "0.000"},
		{1, 3, "1.000"},
		{0.0005, 3, "0.001"},
		{1.0005, 3, "1.001"}, // fmt: 1.000
		{2.675, 2, "2.68"},   // fmt: 2.67
		{0.0004999, 3, "0.000"},
		{999.9996, 3, "1000.000"},
		{9.995, 2, "10.00"}, // fmt: 9.99
		{1e-9, 3, "0.000"},
		{3600e3, 3, "3600000.000"},
		{1e21, 2, "1000000000000000000000.00"},
		{0.99999046325683594, 12, "0.999990463257"},
		{1.5, 0, "2."},
	} {
		if got := fixed(c.v, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals is %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
}

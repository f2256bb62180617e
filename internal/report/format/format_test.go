package format_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{format.Millis(nil), "-"},
		{format.Millis(new(int64(1_500_000))), "1.50"},
		{format.Maximum(2_000_000, 0, 1), "-"},
		{format.Maximum(2_000_000, 5, 1), "≥2.00"},
		{format.Ledger(results.Ledger{Due: 10, Done: 7, Failed: 2, Lost: 1}), "7+2F+1L"},
		{format.Verdict(results.Valid), "valid"},
		{format.Verdict(results.Suspect), "SUSPECT"},
		{format.Factor(1.23456), "1.235"},
		{format.Interval(nil, nil), "-"},
		{format.Interval(new(int64(1_500_000)), nil), "1.50–∞"},
		{format.Factor(123.4), "123"},
		{format.Percentage(0.01234), "1.23 %"},
		{format.Seconds(1_500_000_000), "1.500"},
		{format.AllOf(2, "cell"), "both cells"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

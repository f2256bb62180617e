package words_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{words.Millis(0), "0"},
		{words.Millis(1234), "0.0012"},
		{words.Millis(81 * time.Microsecond), "0.0810"},
		{words.Millis(99_949), "0.0999"},
		{words.Millis(99_950), "0.100"},
		{words.Millis(812_345), "0.812"},
		{words.Millis(999_500), "1.00"},
		{words.Millis(1_703_000), "1.70"},
		{words.Millis(9_996_000), "10.0"},
		{words.Millis(12_345 * time.Microsecond), "12.3"},
		{words.Millis(99_960 * time.Microsecond), "100"},
		{words.Millis(123_456 * time.Microsecond), "123"},
		{words.Millis(1234 * time.Millisecond), "1234"},
		{words.Millis(time.Hour), "3600000"},
		{words.Millis(-81 * time.Microsecond), "-0.0810"},

		{words.Rate(0), "0"},
		{words.Rate(20_000), "20000"},
		{words.Rate(1234.5), "1234"},
		{words.Rate(99.5), "99.5"},
		{words.Rate(99.97), "100"},
		{words.Rate(47), "47"},
		{words.Rate(2.345678), "2.35"},
		{words.Rate(0.1), "0.1"},
		{words.Rate(0.0976), "0.0976"},
		{words.Rate(1.0 / 3600), "0.000278"},

		{words.Count(0), "0"},
		{words.Count(-999), "-999"},
		{words.Count(1000), "1,000"},
		{words.Count(-1_200_000), "-1,200,000"},

		{words.Size(0), "0B"},
		{words.Size(16), "16B"},
		{words.Size(1000), "1000B"},
		{words.Size(1024), "1KiB"},
		{words.Size(1025), "1025B"},
		{words.Size(5 << 10), "5KiB"},
		{words.Size(1 << 20), "1MiB"},
		{words.Size(1<<20 + 1<<10), "1025KiB"},
		{words.Size(3 << 19), "1536KiB"},

		{words.InFlight(0), "open"},
		{words.InFlight(10), "10"},

		{words.Plural(0, "cell"), "0 cells"},
		{words.Plural(1, "cell"), "1 cell"},
		{words.Plural(2, "cell"), "2 cells"},

		{words.Clip("a long name", 6), "a lon…"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

package words_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 9999: "9.999µs", 4_123_456: "4.123ms", 390 * time.Millisecond: "390ms", 1_412_499_999: "1.412s",
	} {
		if got := words.Duration(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1234 * time.Millisecond: "1.2s", 9_960 * time.Millisecond: "10s", 14_750 * time.Millisecond: "15s", 751_500 * time.Millisecond: "12m32s",
		10 * time.Second: "10s", time.Minute: "1m", 20 * time.Minute: "20m", 2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 10*time.Hour + 5*time.Second: "10h0m5s",
	} {
		if got := words.About(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

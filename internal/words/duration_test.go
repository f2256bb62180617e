package words_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
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

package words_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
)

func TestMillis(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0.000"},
		{1234, "0.001"},
		{129 * time.Microsecond, "0.129"},
		{12_345 * time.Microsecond, "12.35"},
		{123_456 * time.Microsecond, "123.5"},
		{time.Hour, "3600000"},
	}
	for _, tt := range tests {
		if got := words.Millis(tt.d); got != tt.want {
			t.Errorf("Millis(%v) = %s, want %s", tt.d, got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	for size, want := range map[int]string{16: "16B", 1000: "1000B", 1024: "1KiB", 5 << 10: "5KiB", 1 << 20: "1MiB", 3 << 19: "1536KiB"} {
		if got := words.Size(size); got != want {
			t.Errorf("Size(%d) = %s, want %s", size, got, want)
		}
	}
}

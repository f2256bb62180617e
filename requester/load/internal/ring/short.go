package ring

import "time"

// A Short is a duration of up to 78 hours in 6 B: with it an op in flight takes 24 B.
type Short [3]uint16

// Shorten returns a duration as a Short; one that is too long as the longest.
func Shorten(d time.Duration) Short {
	d = min(d, 1<<48-1)
	return Short{uint16(d), uint16(d >> 16), uint16(d >> 32)}
}

// Duration returns the duration.
func (s Short) Duration() time.Duration {
	return time.Duration(s[0]) | time.Duration(s[1])<<16 | time.Duration(s[2])<<32
}

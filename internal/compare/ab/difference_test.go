package ab

import "testing"

func TestDifference(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"kafka://h:9092?acks=1&linger=0 --rate 2000", "kafka://h:9092?acks=all&linger=0 --rate 2000", "acks=1 → acks=all"},
		{"nats --rate 2000", "nats --rate 2000 --size 1KiB", "– → --size 1KiB"},
		{"nats", "nats", "nothing"},
		{"nats?x=1  --rate 1000", "redis?x=1 --rate 2000", "nats 1000 → redis 2000"},
	} {
		r := Result{A: Side{Run: c.a}, B: Side{Run: c.b}}
		if got := r.Difference(); got != c.want {
			t.Errorf("%q and %q: got %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

package transport

import (
	"context"
	"testing"
)

func TestNextBatchStopsAtItsLimits(t *testing.T) {
	q := NewSendQueue()
	for _, message := range []string{"a", "b", "c", "dddd", "e"} {
		if err := q.Add([]byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []struct{ messages, bytes, n int }{{2, 100, 2}, {100, 3, 2}, {100, 100, 1}} {
		if got := q.NextBatch(t.Context(), nil, want.messages, want.bytes); len(got) != want.n {
			t.Errorf("%d messages, want %+v", len(got), want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := q.NextBatch(ctx, nil, 1, 1); len(got) > 0 {
		t.Errorf("%d messages after the end", len(got))
	}
}

package leftover

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

func TestWatchSeesNewMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used, looks := time.UnixMilli(1), 0
		things, err := Watch(t.Context(), "topic", func() (map[string]Seen, error) {
			looks++
			return map[string]Seen{"b": {State: string(rune('0' + looks))}, "a": {State: "same", Used: used}}, nil
		})
		if err != nil || len(things) != 2 || things[0] != (requester.Leftover{Kind: "topic", Name: "a", Used: used}) || things[1].Name != "b" || things[1].Busy == "" {
			t.Errorf("%+v, %v", things, err)
		}
	})
}

func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, errAway := time.Now(), errors.New("away")
		if _, err := Watch(t.Context(), "topic", func() (map[string]Seen, error) { return nil, errAway }); !errors.Is(err, errAway) {
			t.Error(err)
		}
		if things, err := Watch(t.Context(), "topic", func() (map[string]Seen, error) { return nil, nil }); err != nil || things != nil {
			t.Error(things, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Watch(ctx, "topic", func() (map[string]Seen, error) { return map[string]Seen{"a": {}}, nil })
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

package outage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
)

func TestRetryTellsEachReasonOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, told, began := 0, []string(nil), time.Now()
		attempts, ok := outage.Retry(t.Context(), time.Second, func() error {
			tries++
			switch {
			case tries == 10:
				return nil
			case tries > 5:
				return errors.New("refused")
			}
			return fmt.Errorf("port %d: reset", 1000+tries)
		}, func(err error) { told = append(told, err.Error()) })
		if !ok || attempts != 10 || time.Since(began) != 10*time.Second {
			t.Errorf("%v at attempt %d after %v", ok, attempts, time.Since(began))
		}
		if want := []string{"port 1001: reset", "refused"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tries, told := 0, 0
		_, ok := outage.Retry(ctx, time.Second, func() error {
			if tries++; tries == 3 {
				cancel()
			}
			return errors.New("away")
		}, func(error) { told++ })
		if ok || tries != 3 || told != 1 {
			t.Errorf("%v after %d tries, told %d", ok, tries, told)
		}
	})
}

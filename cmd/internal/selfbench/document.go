//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// where says when, where and with what was measured, and how long that took.
func (b bench) where(at time.Time, took time.Duration, e results.Environment, load string) document.Table {
	t := report.Where(at, took, e, load)
	rounds := fmt.Sprintf("%d of %v after the warm-up; by hand: %d of %v", b.rounds, b.window, b.halved().rounds, b.halved().window)
	t.Rows = append(t.Rows, []string{"rounds", rounds})
	for _, name := range names {
		if found := b.brokers[name]; found.missing == "" {
			t.Rows = append(t.Rows, []string{found.what.Product, found.what.Version + ", through " + found.what.Client})
		}
	}
	return t
}

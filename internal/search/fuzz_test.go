package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/search"
)

// FuzzBracket answers probes at random: however a target contradicts itself, a
// search ends, stays within its limits, and claims nothing that no probe measured.
func FuzzBracket(f *testing.F) {
	f.Add(1000, 1_000_000, uint16(50), uint8(1), []byte{0, 0, 0, 1, 1, 0, 1, 1})
	f.Add(1, 3, uint16(1), uint8(3), []byte{2, 3, 0, 1})
	f.Add(7, 7, uint16(1000), uint8(2), []byte{0})
	f.Add(900, 100_000, uint16(10), uint8(2), []byte{0, 4, 0, 0, 1, 7, 5, 0, 2})
	f.Fuzz(func(t *testing.T, from, highest int, precision uint16, n uint8, answers []byte) {
		cfg := search.Config{
			Objectives: objectives(int(n%4) + 1), From: from, Max: highest, Precision: float64(precision) / 1000,
			Window: time.Second, Confirm: 2 * time.Second, AtMost: 3 * time.Minute,
		}
		if cfg.Validate() != nil || from == 0 || highest == 0 || precision == 0 {
			t.Skip()
		}
		next := 0
		kinds := []search.Answer{search.Kept, search.Missed, search.Client, search.Unclear}
		r, err := search.Search(context.Background(), cfg, func(_ context.Context, p search.Probe) (search.Probe, error) {
			if p.Rate < from || p.Rate > highest {
				t.Fatalf("a probe at %d/s, outside %d–%d", p.Rate, from, highest)
			}
			for range cfg.Objectives {
				var b byte
				if len(answers) > 0 {
					b = answers[next%len(answers)]
					next++
				}
				a := kinds[b%4]
				p.Answers = append(p.Answers, search.Judgement{Answer: a, Sure: a != search.Kept && b&4 != 0, Seconds: seconds(p, b&8 == 0)})
			}
			return p, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Took > cfg.AtMost {
			t.Errorf("%d probes took %v, want %v at most", len(r.Probes), r.Took, cfg.AtMost)
		}
		for i, row := range r.Rows {
			checkRow(t, row, i, r.Probes)
		}
	})
}

// checkRow checks that probes measured what a row claims for an objective.
func checkRow(t *testing.T, row search.Row, objective int, probes []search.Probe) {
	t.Helper()
	count := func(rate int) (n int) {
		for _, p := range probes {
			if p.Rate == rate && len(p.Answers) > objective && !p.Spoiled {
				n++
			}
		}
		return n
	}
	// Where the client did not disturb most of the probes, those that it did are left out.
	judged := func(rate int) int {
		disturbed := 0
		for _, p := range probes {
			if p.Rate == rate && !p.Spoiled && p.Answers[objective].Answer == search.Client {
				disturbed++
			}
		}
		if n := count(rate); disturbed <= n-disturbed {
			return n - disturbed
		}
		return count(rate)
	}
	if row.Status == search.Unfinished {
		t.Errorf("unfinished: %+v", row)
	}
	if row.Rate > 0 && (count(row.Rate) < 2 || row.At == nil || row.At.Probes != judged(row.Rate)) {
		t.Errorf("%+v, but %d probes there", row, count(row.Rate))
	}
	if row.Above > 0 && (count(row.Above) == 0 || row.Over == nil || row.Over.Probes != judged(row.Above)) {
		t.Errorf("%+v, but %d probes above", row, count(row.Above))
	}
	if row.Rate > 0 && row.Above > 0 && row.Rate >= row.Above != (row.Status == search.Opposed) {
		t.Errorf("%+v is no bracket", row)
	}
	if (row.Status == search.Found || row.Status == search.AtMax) && (row.Rate == 0 || row.At.High > 0.5) {
		t.Errorf("%+v is not shown", row)
	}
	if row.Status == search.NotKept && row.Rate != 0 {
		t.Errorf("%+v: not kept, at a rate", row)
	}
}

package search_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

func parse(t testing.TB, text string) plan.Objective {
	t.Helper()
	o, err := plan.ParseObjective(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestValidate(t *testing.T) {
	good := []plan.Objective{parse(t, "p99<5ms")}
	for _, tt := range []struct {
		cfg  search.Config
		says string // "": nothing is wrong
	}{
		{search.Config{Objectives: good}, ""},
		{search.Config{Objectives: []plan.Objective{parse(t, "loss<=1%"), parse(t, "rate>99%"), parse(t, "max<1s"), parse(t, "lag.p99.9<1ms")}}, ""},
		{search.Config{}, "no SLO to search for"},
		{search.Config{Objectives: good, From: 10, Max: 9}, "rates from 10 to 9"},
		{search.Config{Objectives: good, From: -1}, "rates from -1"},
		{search.Config{Objectives: good, Precision: 2}, "precision 200 %"},
		{search.Config{Objectives: good, Precision: 1e-9}, "want 0.1 %"},
		{search.Config{Objectives: good, Window: -1}, "a window of -1ns"},
		{search.Config{Objectives: good, Window: time.Minute, Confirm: time.Second}, "1m0s and 1s to confirm"},
		{search.Config{Objectives: good, AtMost: time.Second}, "1s for a search: want more than the 5s of one window"},
		{search.Config{Objectives: []plan.Objective{parse(t, "rate>=3000/s")}}, "a higher rate can make it hold"},
		{search.Config{Objectives: []plan.Objective{parse(t, "p99>5ms")}}, "a higher rate can make it hold"},
		{search.Config{Objectives: []plan.Objective{parse(t, "user(50).p99<100ms")}}, "counts messages, not users"},
		{search.Config{Objectives: []plan.Objective{parse(t, "user(50).sum.p99<1s")}}, "counts messages, not users"},
		{search.Config{Objectives: []plan.Objective{parse(t, "rate<90%")}}, "a higher rate can make it hold"},
		{search.Config{Objectives: []plan.Objective{parse(t, "p99.99<5ms")}}, "takes a window of 1m45s at 1000/s: begin at 1750/s"},
		{search.Config{Objectives: []plan.Objective{parse(t, "p99.99<5ms")}, From: 1750}, ""},
		{search.Config{Objectives: []plan.Objective{parse(t, "p99.99<5ms")}, Confirm: 2 * time.Minute}, ""},
	} {
		err := tt.cfg.Validate()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%+v: %v, want %q", tt.cfg, err, tt.says)
		}
	}
	if _, err := search.Search(context.Background(), search.Config{}, nil); err == nil {
		t.Error("a search without an objective is taken")
	}
}

// A probe is long enough for the highest percentile of the objectives.
func TestProbesAreLongEnough(t *testing.T) {
	windows := make(map[int]time.Duration)
	cfg := search.Config{Objectives: []plan.Objective{parse(t, "p99.9<5ms"), parse(t, "p50<1ms")}, Max: 4000}
	r, err := search.Search(context.Background(), cfg, func(_ context.Context, p search.Probe) (search.Probe, error) {
		if windows[p.Rate] == 0 {
			windows[p.Rate] = p.Window
		}
		p.Answers = []search.Judgement{{Seconds: seconds(p, true)}, {Seconds: seconds(p, true)}}
		return p, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if windows[1000] != 10_500*time.Millisecond || windows[2000] != 5300*time.Millisecond || windows[4000] != 5*time.Second {
		t.Errorf("windows %v", windows)
	}
	last := r.Probes[len(r.Probes)-1]
	if !last.Confirm || last.Rate != 4000 || last.Window < search.DefaultConfirm {
		t.Errorf("the last probe is %+v", last)
	}
}

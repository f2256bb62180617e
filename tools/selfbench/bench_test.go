//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

func TestFindSaysWhyABrokerIsMissing(t *testing.T) {
	env := map[string]string{"BROKERBENCH_NATS_URL": "nats://127.0.0.1:1", "BROKERBENCH_RABBITMQ_URL": "amqp://guest:s3cret@127.0.0.1:1"}
	var b bench
	b.find(t.Context(), func(name string) string { return env[name] })
	if got, want := b.brokers["redis"].missing, "BROKERBENCH_REDIS_URL is not set"; got != want {
		t.Errorf("redis: %q, want %q", got, want)
	}
	for _, name := range []string{"nats", "rabbitmq"} {
		if why := b.brokers[name].missing; why == "" || strings.Contains(why, "s3cret") {
			t.Errorf("%s: missing because of %q, want a reason without the password", name, why)
		}
	}
	if b.brokers[""].missing != "" {
		t.Error("the loopback is missing")
	}
}

// variant returns a run that counts its calls in n and returns 1 and 10 times n.
func variant(n *float64) round {
	return func(context.Context, bench, string) ([]float64, error) {
		*n++
		return []float64{*n, 10 * *n}, nil
	}
}

func plain(v float64) string { return fmt.Sprint(v) }

func TestAPartAlternatesAndForgetsTheFirstRound(t *testing.T) {
	n := 0.0
	p := part{
		what: "p", run: variant(&n), other: func(ctx context.Context, b bench, url string) ([]float64, error) {
			values, err := variant(&n)(ctx, b, url)
			return values[:1], err // nothing to compare the second figure with
		},
		figures: []figure{{write: plain}, {what: "b", write: plain}},
	}
	for halved, want := range map[bool][][]string{
		false: {{"p", "0.75 (3 over 4)", "", "", "", "3 over 4"}, {"p: b", "30", "", "", "", "30"}},
		true:  {{"p", "0.83 (5 over 6)", "", "", "", "3 5 7 over 4 6 8"}, {"p: b", "50", "", "", "", "30 50 70"}},
	} {
		n, p.halved = 0, halved
		if got := p.rows(t.Context(), bench{rounds: 1}); !reflect.DeepEqual(got, want) {
			t.Errorf("halved %v: got %q, want %q", halved, got, want)
		}
	}
}

func TestAPartThatCannotBeMeasuredIsARow(t *testing.T) {
	b := bench{brokers: map[string]broker{"redis": {missing: "no redis"}, "nats": {url: "nats://h"}}}
	called := ""
	fail := func(_ context.Context, _ bench, url string) ([]float64, error) {
		called += url
		return nil, errors.New("gone")
	}
	n := 0.0
	for _, tc := range []struct {
		part part
		want string
	}{
		{part{what: "a", broker: "redis", run: fail}, "no redis"},
		{part{what: "b", broker: "nats", run: fail}, "gone"},
		{part{what: "c", run: variant(&n), other: fail}, "gone"},
		{part{what: "d", run: cpuOf(fail)}, "gone"},
	} {
		want := [][]string{{tc.part.what, "not measured: " + tc.want}}
		if got := tc.part.rows(t.Context(), b); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if called != "nats://h" {
		t.Errorf("called with %q, want that of nats alone", called)
	}
}

func TestPickWantsEveryMessageBack(t *testing.T) {
	value := int64(7)
	c := results.Cell{
		Ledger:   results.Ledger{Due: 2, Done: 2},
		Response: results.Distribution{Percentiles: []results.Percentile{{Percentile: 50, ValueNS: &value}, {Percentile: 99}}},
	}
	if got, err := pick(&c, at{&c.Response, 50}); err != nil || !slices.Equal(got, []float64{7}) {
		t.Errorf("p50: got %v, %v, want 7 ns", got, err)
	}
	for _, p := range []float64{99, 12} {
		if got, err := pick(&c, at{&c.Response, p}); err == nil {
			t.Errorf("p%v is not known, got %v", p, got)
		}
	}
	c.Ledger.Done = 1
	if got, err := pick(&c, at{&c.Response, 50}); err == nil {
		t.Errorf("a message is missing, got %v", got)
	}
}

func TestObserve(t *testing.T) {
	gone := make(chan error, 1)
	gone <- errors.New("exit status 1")
	if got, err := observe(os.Getpid(), gone); got.resident < 1<<20 || err == nil {
		t.Errorf("this process has had %v bytes, %v, want more than a MiB and how it ended", got, err)
	}
}

// The program is a script that prints a result and exits with the code for
// invalid, after a while: its memory is polled.
func TestWhatAProcessCosts(t *testing.T) {
	program := filepath.Join(t.TempDir(), "brokerbench")
	for _, tc := range []struct{ script, want string }{
		{`echo '{"cells": [{"ledger": {"due": 80, "done": 80}, "warmup_ledger": {"done": 20}}]}'; sleep 0.3; exit 4`, ""},
		{"echo '{}'", "0 cells, want one"},
		{"exit 1", "run loopback: --quiet"},
		{"echo nonsense", "invalid character"},
	} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tc.script), 0o700); err != nil {
			t.Fatal(err)
		}
		p, err := bench{program: program}.brokerbench(t.Context(), "loopback:", plan.Shape{Rate: 1}, 0, 0)
		if tc.want == "" {
			if err != nil || p.cell.Ledger.Done != 80 || p.cell.WarmupLedger.Done != 20 || p.resident < 1<<10 {
				t.Errorf("%+v, %v", p, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.script, err, tc.want)
		}
	}
}

func TestOnlyChoosesParts(t *testing.T) {
	todo := []part{{what: "NATS, 1 KiB"}, {what: "Kafka (acks=1)"}, {what: "Kafka, audit"}}
	for expression, want := range map[string][]int{"": {0, 1, 2}, "Kafka": {1, 2}, "NATS|audit": {0, 2}} {
		got, err := matching(todo, expression)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%q: %v, %v, want parts %v", expression, got, err, want)
		}
		for i, p := range got {
			if p.what != todo[want[i]].what {
				t.Errorf("%q: part %q", expression, p.what)
			}
		}
	}
	for expression, want := range map[string]string{"(": "-only: error parsing", "Pulsar": "  Kafka (acks=1)\n"} {
		if _, err := matching(todo, expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", expression, err, want)
		}
	}
}

// No two parts have the same name, by which one is chosen.
func TestPartsHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range parts() {
		if seen[p.what] || p.what == "" {
			t.Errorf("part %q is there twice, or has no name", p.what)
		}
		seen[p.what] = true
	}
}

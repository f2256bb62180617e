//go:build linux

package main

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestRowsJudgeTheMedian(t *testing.T) {
	for _, tc := range []struct {
		name              string
		got               row
		measured, verdict string
		bound, rounds     string
	}{
		{"at the bound", atMost("", series{3e3, 1e3, 2e3}, duration, 2e3), "2.00 µs", "ok", "≤ 2.00 µs", "3.00 µs 1.00 µs 2.00 µs"},
		{"above it", atMost("", series{2001, 9e9, 1}, duration, 2e3), "2.00 µs", "ABOVE", "≤ 2.00 µs", "2.00 µs 9.00 s 1 ns"},
		{"enough", atLeast("", series{20_000}, perSecond, 20_000), "20000/s", "ok", "≥ 20000/s", "20000/s"},
		{"too little", atLeast("", series{19_999, 30_000, 10}, perSecond, 20_000), "19999/s", "BELOW", "≥ 20000/s", "19999/s 30000/s 10/s"},
		{"no bound", unbounded("", series{1e6}, megabytes), "1.0 MB", "", "", "1.0 MB"},
		{
			"a ratio of medians", over("", series{1e3, 9e3, 2e3}, series{2e3, 2e3, 1e3}, duration, 1),
			"1.00 (2.00 µs over 2.00 µs)", "ok", "≤ 1.00", "1.00 µs 9.00 µs 2.00 µs over 2.00 µs 2.00 µs 1.00 µs",
		},
		{"a ratio above", over("", series{106}, series{100}, duration, 1.05), "1.06 (106 ns over 100 ns)", "ABOVE", "≤ 1.05", "106 ns over 100 ns"},
	} {
		want := row{measured: tc.measured, bound: tc.bound, verdict: tc.verdict, rounds: tc.rounds}
		if tc.got != want {
			t.Errorf("%s: got %+v, want %+v", tc.name, tc.got, want)
		}
	}
}

func TestDurationsHaveThreeDigits(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 228: "228 ns", 999: "999 ns", 1000: "1.00 µs", 9994: "9.99 µs", 9996: "10.0 µs", 81_440: "81.4 µs",
		99_960: "100 µs", 999_400: "999 µs", 999_600: "1.00 ms", 2_345_000: "2.35 ms", 1.5e9: "1.50 s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
	if got, want := thousandths(-0.0001), "0.000"; got != want {
		t.Errorf("thousandths(-0.0001) = %q, want %q", got, want)
	}
}

func TestRepeatAlternatesAndForgetsTheFirstRound(t *testing.T) {
	var order []string
	call := time.Duration(0)
	variant := func(name string) func() (durations, error) {
		return func() (durations, error) {
			order = append(order, name)
			call++
			return durations{call, 10 * call}, nil
		}
	}
	told, err := repeat(2, variant("A"), variant("B"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A", "B", "A", "B", "A", "B"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	want := [][]series{{{3, 5}, {30, 50}}, {{4, 6}, {40, 60}}}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

func TestRepeatEndsWithAnError(t *testing.T) {
	down := errors.New("down")
	if _, err := repeat(5, func() (durations, error) { return nil, down }); !errors.Is(err, down) {
		t.Errorf("got %v, want %v", err, down)
	}
}

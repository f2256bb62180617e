package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/config"
)

func TestRatesThatChange(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "arrivals.txt")
	if err := os.WriteFile(trace, []byte("0\n0.5\n9.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for rate, want := range map[string]struct {
		changes string
		mean    float64
		long    time.Duration
	}{
		"ramp(1k..20k, 60s)":            {"ramp(1000..20000,1m0s)", 10_500, time.Minute},
		"step(1k@5s,5k@5s,1k@5s)":       {"step(1000@5s,5000@5s,1000@5s)", 7000. / 3, 15 * time.Second},
		"step(6/m@10s, 0.5/s@1m)":       {"step(0.1@10s,0.5@1m0s)", 31. / 70, 70 * time.Second},
		"trace:" + trace:                {"trace(arrivals.txt,", 0.3, 10 * time.Second},
		"ramp (1k .. 20k , 60s)":        {"ramp(1000..20000,1m0s)", 10_500, time.Minute},
		"step(1k @ 10s , 2.5k @ 1m30s)": {"step(1000@10s,2500@1m30s)", 2350, 100 * time.Second},
	} {
		for _, file := range []string{"", "matrix: {rate: '" + rate + "'}", "cells: [{rate: '" + rate + "'}]", "matrix:\n  rate: " + rate} {
			o := config.Overrides{}
			if file == "" {
				o.Flags = config.Values{"rate": {rate}}
			}
			p, err := config.Parse("p", []byte(file), o, config.Options{})
			if err != nil || len(p.Shapes) != 1 {
				t.Errorf("%s: %v", rate+file, err)
				continue
			}
			s := p.Shapes[0]
			if off := float64(s.Rate) - want.mean; !strings.HasPrefix(string(s.Changes), want.changes) || off > 1e-6 || off < -1e-6 || p.Settings.Duration != want.long {
				t.Errorf("%s: %s, mean %v, %v", rate+file, s.Changes, s.Rate, p.Settings.Duration)
			}
		}
	}
}

func TestRatesBesideOthers(t *testing.T) {
	p, err := config.Parse("p", nil, config.Overrides{Flags: config.Values{"rate": {"3k,ramp(1k..2k,20s)", "step(1@5s,2@5s)"}, "size": {"64,128"}}}, config.Options{})
	if err != nil || len(p.Shapes) != 6 || p.Shapes[0].Changes != "" || p.Shapes[2].Changes != "ramp(1000..2000,20s)" || p.Shapes[5].Changes != "step(1@5s,2@5s)" {
		t.Fatalf("%v, %v", p.Shapes, err)
	}
	long := p.Settings
	for i, want := range []time.Duration{30, 30, 20, 20, 10, 10} {
		if got := long.For(p.Shapes[i]).Duration; got != want*time.Second {
			t.Errorf("%v lasts %v", p.Shapes[i], got)
		}
	}
}

func TestRatesThatCannotChange(t *testing.T) {
	dir := t.TempDir()
	backward := filepath.Join(dir, "backward.txt")
	if err := os.WriteFile(backward, []byte("1\n3\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty.txt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for rate, says := range map[string]string{
		"ramp(1k, 60s)": "want two rates and a time", "ramp(1k..1k, 60s)": "two rates that differ", "ramp(1k..2k, 1s)": "a ramp lasts from 2s",
		"step(1k@10s)": "want 2 to 16 steps", "step(1k, 5k)": "want rates and times", "step(x@10s, 1k@5s)": "want messages per second", "ramp(1k..20k": "want messages per second",
		"trace:" + backward: "backward.txt:3: the trace runs backward", "trace:" + empty: "the trace is empty", "trace:" + dir + "/none": "no such file", "trace(a,b,10s)": "a trace of 0s",
	} {
		p, err := config.Parse("p", nil, config.Overrides{Flags: config.Values{"rate": {rate}}}, config.Options{})
		if err == nil {
			err = p.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%s: %v, want a line that says %q", rate, err, says)
		}
	}
}

func TestRatesThatCannotBeCombined(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "arrivals.txt")
	if err := os.WriteFile(trace, []byte("0\n9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, says := range map[string]string{
		"matrix: {rate: 'trace:" + trace + "', arrivals: poisson}":                                        "a trace says when each message is due",
		"matrix: {rate: 'step(1@5s,2@5s)'}\nfaults: [{at: 1s, pause: consumers, for: 1s}]\nduration: 10s": "faults and a rate that changes",
	} {
		if _, err := config.Parse("p", []byte(text), config.Overrides{}, config.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestADurationThatContradictsTheRate(t *testing.T) {
	for _, tt := range []struct {
		file     string
		flag     string
		mistakes bool
	}{
		{"", "30s", true},
		{"", "60s", false},
		{"duration: 30s\n", "", true},
		{"duration: 1m\n", "", false},
		{"duration: 30s\n", "60s", false},
	} {
		o := config.Overrides{Flags: config.Values{"rate": {"ramp(1..2,60s)"}}}
		if tt.file == "" {
			o.Defaults = config.QuickStart()
		}
		if tt.flag != "" {
			o.Flags["duration"] = []string{tt.flag}
		}
		_, err := config.Parse("p", []byte(tt.file), o, config.Options{})
		if (err != nil) != tt.mistakes {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

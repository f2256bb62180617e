package config_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

// valueOf returns what a plan of one shape has for a key.
func valueOf(p plan.Plan, key string) any {
	shape, s := p.Shapes[0], p.Settings
	return map[string]any{
		"rate": shape.Rate, "size": shape.Size, "connections": shape.Connections, "in-flight": shape.InFlight, "name": p.Name,
		"duration": s.Duration, "warmup": s.Warmup, "timeout": s.Timeout, "repeat": p.Repeat, "seed": s.Seed, "senders": s.Senders,
		"spin": s.Spin, "percentiles": s.Percentiles, "floor": s.Floor, "audit": s.Audit,
	}[key]
}

// times are the texts that every key takes, or refuses, that is a time; others are
// its own.
func times(others map[string]any) map[string]any {
	maps.Copy(others, map[string]any{"30s": "30s", "1m30s": "1m30s", "50us": "50µs", "-1s": nil, "30": nil, "1d": nil, "1 s": nil})
	return others
}

func TestValues(t *testing.T) {
	var wrong any // of a text that is refused
	for key, tests := range map[string]map[string]any{
		"rate": {
			"3000": "3000/s", "20k": "20000/s", "20K": "20000/s", "1.5k": "1500/s", "1M": "1000000/s", "3000/s": "3000/s", "20 k/s": "20000/s",
			"1.5": "1.5/s", "1.0001k": "1000.1/s", "0.1/s": "0.1/s", "6/m": "0.1/s", "3000/m": "50/s", "7/m": "7/m", "1k/m": "1000/m", "90/h": "0.025/s", "1/h": "1/h",
			"0.0003": "0.0003/s", "1.001/h": "1.001/h", "999999999.99999": "999999999.99999/s", "0.0000003M": "0.3/s",
			"1.000001M": "1000001/s", "1.1k": "1100/s", "1000M": "1000000000/s", "1": "1/s",
			"0": wrong, "-1": wrong, "1m": wrong, "0/s": wrong, "-1/s": wrong, "1/x": wrong, "1/": wrong, "/s": wrong, "1/s/s": wrong, "1/M": wrong, "6 / m": wrong, "1/S": wrong,
			"1e400/s": wrong, "+1": wrong, "Inf": wrong, "0.9/h": wrong, "0.00001/s": wrong, "1.0001/h": wrong, "0.3333333": wrong, "1000000001/s": wrong,
			"999999999999999999.999999999M/s": wrong, "k": wrong, "1e3": wrong, "1_000": wrong, "0x10": wrong,
			"1001M": wrong, " ": wrong, "99999999999999999999": wrong, "1/3": wrong, "NaN": wrong, "1.M": wrong,
		},
		"size": {
			"16": 16, "256B": 256, "256 b": 256, "1KiB": 1024, "1KB": 1000, "1kB": 1000, "1kib": 1024, "1.5KiB": 1536, "1MiB": 1 << 20,
			"1MB": 1_000_000, "1GiB": 1 << 30, "0.5KB": 500,
			"15": wrong, "12 B": wrong, "0": wrong, "1K": wrong, "1M": wrong, "1Ki": wrong, "1TiB": wrong, "2GiB": wrong, "-1KiB": wrong,
			"16.5B": wrong, "1e3": wrong, "999999999999999999GiB": wrong, "KiB": wrong, "1  KiB": wrong, "٣KiB": wrong,
		},
		"connections": {"1": 1, "25": 25, "1048576": 1 << 20, "1048577": wrong, "0": wrong, "-1": wrong, "open": wrong, "1.0": wrong},
		"in-flight":   {"open": 0, "1": 1, "100": 100, "0": wrong, "Open": wrong, "-1": wrong, "99999999999": wrong},
		"senders":     {"1": 1, "8": 8, "0": wrong, "-1": wrong, "1025": wrong, "auto": wrong},
		"repeat":      {"1": 1, "3": 3, "0": wrong, "10001": wrong},
		"seed":        {"0": 0, "18446744073709551615": uint64(1<<64 - 1), "-1": wrong, "18446744073709551616": wrong, "0x1": wrong},
		"percentiles": {"50, 99.99": "[50 99.99]", "98": wrong, "p99": wrong},
		"floor":       {"on": true, "off": false, "true": wrong},
		"audit":       {"on": true, "off": false, "no": wrong},
		"duration":    times(map[string]any{"0": wrong, "0s": wrong, "auto": wrong, "8761h": wrong}),
		"timeout":     times(map[string]any{"0": wrong, "0s": wrong, "auto": wrong, "8761h": wrong}),
		"warmup":      times(map[string]any{"0": "0s", "0s": "0s", "auto": wrong, "8761h": wrong}),
		"spin":        times(map[string]any{"0": "0s", "0s": "0s", "auto": "auto", "8761h": "8761h0m0s"}),
		"name": {
			"classic": "classic", "a-b_c.d": "a-b_c.d", "2026": "2026",
			"a b": wrong, "../a": wrong, ".": wrong, ".hidden": wrong, "-a": wrong, "a/b": wrong, "é": "é", "東京_1": "東京_1", "cafe\u0301": "cafe\u0301", "\u0301e": wrong, "a\u202eb": wrong, "🚀": wrong, "a\xff": wrong, fmt.Sprintf("%065d", 1): wrong,
		},
	} {
		for text, want := range tests {
			p, err := config.Load("", flags(config.Values{key: {text}}), config.Options{})
			switch {
			case want == wrong && err == nil:
				t.Errorf("%s %q is taken as %v", key, text, valueOf(p, key))
			case want != wrong && (err != nil || fmt.Sprint(valueOf(p, key)) != fmt.Sprint(want)):
				t.Errorf("%s %q is %v, %v; want %v", key, text, p, err, want)
			}
		}
	}
}

func TestArrivals(t *testing.T) {
	for _, text := range []string{"constant", "poisson", "burst:2", "burst:1000000"} {
		p, err := config.Load("", flags(config.Values{"arrivals": {text}}), config.Options{})
		if err != nil || string(p.Shapes[0].Arrivals) != text {
			t.Errorf("arrivals %s: %v, %v", text, p.Shapes, err)
		}
	}
	refusedFlags(t, "arrivals.golden", "arrivals", "Poisson", "burts:10", "burst10", "never", "burst", "burst:", "burst:x", "burst:0")
}

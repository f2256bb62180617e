package config_test

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
)

// one loads a plan of these values only, and returns its only shape.
func one(v config.Values) (plan.Shape, plan.Plan, error) {
	p, err := config.Load("", flags(v), config.Options{})
	if err != nil || len(p.Shapes) != 1 {
		return plan.Shape{}, p, err
	}
	return p.Shapes[0], p, nil
}

// wrong marks a text that is refused.
const wrong = -1

func TestRates(t *testing.T) {
	tests := map[string]int{
		"3000": 3000, "20k": 20_000, "20K": 20_000, "1.5k": 1500, "1M": 1e6, "3000/s": 3000, "20 k/s": 20_000, "1.000001M": 1_000_001,
		"1.1k": 1100, "1000M": 1e9, "1": 1,
		"0": wrong, "-1": wrong, "1.5": wrong, "1.0001k": wrong, "1m": wrong, "k": wrong, "1e3": wrong, "1_000": wrong, "0x10": wrong,
		"1001M": wrong, "3000/m": wrong, "": 3000, " ": wrong, "99999999999999999999": wrong, "1/3": wrong, "NaN": wrong, "1.M": wrong,
	}
	for text, want := range tests {
		s, _, err := one(config.Values{"rate": given(text)})
		check(t, "rate "+text, s.Rate, err, want)
	}
}

func TestSizes(t *testing.T) {
	tests := map[string]int{
		"16": 16, "256B": 256, "256 b": 256, "1KiB": 1024, "1KB": 1000, "1kB": 1000, "1kib": 1024, "1.5KiB": 1536, "1MiB": 1 << 20,
		"1MB": 1e6, "1GiB": 1 << 30, "0.5KB": 500,
		"15": wrong, "12 B": wrong, "0": wrong, "1K": wrong, "1M": wrong, "1Ki": wrong, "1TiB": wrong, "2GiB": wrong, "-1KiB": wrong,
		"16.5B": wrong, "1e3": wrong, "999999999999999999GiB": wrong, "KiB": wrong, "1  KiB": wrong, "٣KiB": wrong,
	}
	for text, want := range tests {
		s, _, err := one(config.Values{"size": given(text)})
		check(t, "size "+text, s.Size, err, want)
	}
}

func TestCounts(t *testing.T) {
	connections := map[string]int{"1": 1, "25": 25, "1048576": 1 << 20, "1048577": wrong, "0": wrong, "-1": wrong, "open": wrong, "1.0": wrong}
	for text, want := range connections {
		s, _, err := one(config.Values{"connections": given(text)})
		check(t, "connections "+text, s.Connections, err, want)
	}
	inFlight := map[string]int{"open": 0, "1": 1, "100": 100, "0": wrong, "Open": wrong, "-1": wrong, "99999999999": wrong}
	for text, want := range inFlight {
		s, _, err := one(config.Values{"in-flight": given(text)})
		check(t, "in-flight "+text, s.InFlight, err, want)
	}
	senders := map[string]int{"1": 1, "8": 8, "0": wrong, "-1": wrong, "1025": wrong, "auto": wrong}
	for text, want := range senders {
		_, p, err := one(config.Values{"senders": {text}})
		check(t, "senders "+text, p.Settings.Senders, err, want)
	}
	repeat := map[string]int{"1": 1, "3": 3, "0": wrong, "10001": wrong}
	for text, want := range repeat {
		_, p, err := one(config.Values{"repeat": {text}})
		check(t, "repeat "+text, p.Repeat, err, want)
	}
	seeds := map[string]uint64{"0": 0, "18446744073709551615": 1<<64 - 1}
	for text, want := range seeds {
		_, p, err := one(config.Values{"seed": {text}})
		check(t, "seed "+text, p.Settings.Seed, err, want)
	}
	for _, text := range []string{"-1", "18446744073709551616", "0x1"} {
		if _, _, err := one(config.Values{"seed": {text}}); err == nil {
			t.Errorf("seed %s is taken", text)
		}
	}
}

func TestTimes(t *testing.T) {
	type want struct{ duration, warmup, timeout, spin string }
	tests := map[string]want{
		"30s":   {"30s", "30s", "30s", "30s"},
		"1m30s": {"1m30s", "1m30s", "1m30s", "1m30s"},
		"50us":  {"50µs", "50µs", "50µs", "50µs"},
		"0":     {"", "0s", "", "0s"},
		"0s":    {"", "0s", "", "0s"},
		"auto":  {"", "", "", "auto"},
		"-1s":   {}, "30": {}, "1d": {}, "1 s": {},
		"8761h": {spin: "8761h0m0s"},
	}
	for text, want := range tests {
		_, p, err := one(config.Values{"duration": {text}})
		check(t, "duration "+text, p.Settings.Duration.String(), err, want.duration)
		_, p, err = one(config.Values{"warmup": {text}})
		check(t, "warmup "+text, p.Settings.Warmup.String(), err, want.warmup)
		_, p, err = one(config.Values{"timeout": {text}})
		check(t, "timeout "+text, p.Settings.Timeout.String(), err, want.timeout)
		_, p, err = one(config.Values{"spin": {text}})
		check(t, "spin "+text, p.Settings.Spin.String(), err, want.spin)
	}
}

func TestNames(t *testing.T) {
	tests := map[string]string{
		"classic": "classic", "a-b_c.d": "a-b_c.d", "2026": "2026",
		"a b": "", "../a": "", ".": "", ".hidden": "", "-a": "", "a/b": "", "é": "", fmt.Sprintf("%065d", 1): "",
	}
	for text, want := range tests {
		_, p, err := one(config.Values{"name": {text}})
		check(t, "name "+text, p.Name, err, want)
	}
}

// given returns no value for "".
func given(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// check compares; want wrong or "" wants an error.
func check[V comparable](t *testing.T, what string, got V, err error, want V) {
	t.Helper()
	refused := any(want) == any(wrong) || any(want) == any("")
	switch {
	case refused && err == nil:
		t.Errorf("%s is taken as %v", what, got)
	case !refused && err != nil:
		t.Errorf("%s: %v", what, err)
	case !refused && got != want:
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestArrivals(t *testing.T) {
	tests := map[string]string{ // what the mistake says; "" for none
		"constant": "", "poisson": "", "burst:2": "", "burst:1000000": "",
		"Poisson":  `arrivals "Poisson": want constant, poisson or burst:N (did you mean "poisson"?)`,
		"burts:10": `arrivals "burts:10": want constant, poisson or burst:N (did you mean "burst:10"?)`,
		"burst10":  `arrivals "burst10": want constant, poisson or burst:N (did you mean "burst:10"?)`,
		"never":    `arrivals "never": want constant, poisson or burst:N`,
		"burst":    `arrivals "burst": the number of ops is missing: want burst:N, such as burst:10`,
		"burst:":   `arrivals "burst:": the number of ops is missing: want burst:N, such as burst:10`,
		"burst:x":  `arrivals "burst:x": the number of ops is no whole number: want burst:N, such as burst:10`,
		"burst:0":  `arrivals "burst:0": a burst is of 2 to 1000000 ops`,
	}
	for text, says := range tests {
		s, _, err := one(config.Values{"arrivals": given(text)})
		switch {
		case says == "" && (err != nil || string(s.Arrivals) != text):
			t.Errorf("arrivals %s is %q, %v", text, s.Arrivals, err)
		case says != "" && (err == nil || err.Error() != "--arrivals: "+says):
			t.Errorf("arrivals %s: got %v\nwant --arrivals: %s", text, err, says)
		}
	}
}

package config_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestRateMistakesSayWhatToWrite(t *testing.T) {
	const want = "want messages per second, minute or hour, such as 3000, 20k, 0.1/s, 6/m or 90/h"
	for text, says := range map[string]string{
		"0/s": "rate 0/s is not between 1/h and 1,000,000,000/s", "0.5/h": "rate 0.000138888888889/s is not between 1/h and 1,000,000,000/s",
		"2000M": "rate 2000000000/s is not between 1/h and 1,000,000,000/s",
		"-1/s":  `rate "-1/s": ` + want, "1/x": `rate "1/x": ` + want, "NaN": `rate "NaN": ` + want, "1e400/s": `rate "1e400/s": ` + want,
		"999999999999999999M": `rate "999999999999999999M": too large`, "6m": `rate "6m": ` + want, "1/3": `rate "1/3": ` + want,
		"0.3333333": `rate "0.3333333": not a whole number of thousandths of a message an hour: round it`,
	} {
		if _, err := config.Load("", flags(config.Values{"rate": {text}}), config.Options{}); err == nil || err.Error() != "--rate: "+says {
			t.Errorf("%s: got %v\nwant --rate: %s", text, err, says)
		}
	}
}

// The same rate is the same shape, however it is written, and shapes of different
// rates have different folders.
func TestSlowRatesOfAMatrix(t *testing.T) {
	env, err := config.FromEnv([]string{"BROKERBENCH_RATE=0.1/s,7/m,1/h,1000"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := config.Parse("p", []byte("matrix: {size: 1KiB}"), config.Overrides{Env: env}, testOptions())
	const want = "0.1-1024B-c1-fopen 7-per-m-1024B-c1-fopen 1-per-h-1024B-c1-fopen 1000-1024B-c1-fopen"
	if err != nil || shapes(p) != want {
		t.Errorf("%v, %v; want %s", shapes(p), err, want)
	}
	_, err = config.Load("", flags(config.Values{"rate": {"0.1/s,6/m"}}), config.Options{})
	if err == nil || err.Error() != "--rate: rate 6/m is there twice; use repeat" {
		t.Errorf("0.1/s and 6/m: %v", err)
	}
}

// FuzzParseRate checks that a rate that is taken has one spelling, which is read as
// the same rate and names a folder on every system.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"3000", "20k", "1.5M/s", "0.1/s", "6/m", "90/h", "1/h", "0.0003", "999999999.99999", "0/s", "-1/s", "1/x", "NaN", "1e400/s", "1001M", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := config.ParseRate(text)
		spec := schedule.Spec{Rate: rate, Duration: 1}
		if err != nil || spec.Validate() != nil {
			return
		}
		for _, written := range []string{rate.String(), rate.Column()} {
			if again, err := config.ParseRate(written); err != nil || again != rate {
				t.Fatalf("%q is %v, written %q and read as %v, %v", text, rate, written, again, err)
			}
		}
		if name := (plan.Shape{Rate: rate}).String(); strings.Trim(name, "abcdefghijklmnopqrstuvwxyzB0123456789.-") != "" {
			t.Fatalf("%q names the folder %q", text, name)
		}
	})
}

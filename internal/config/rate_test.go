package config_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestRateMistakesSayWhatToWrite(t *testing.T) {
	refusedFlags(t, "rates.golden", "rate", "0/s", "0.5/h", "2000M", "-1/s", "1/x", "NaN", "1e400/s", "999999999999999999M", "6m", "1/3", "0.3333333")
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
		if name := (plan.Shape{Rate: rate}).ID(); strings.Trim(name, "abcdefghijklmnopqrstuvwxyzB0123456789.-") != "" {
			t.Fatalf("%q names the folder %q", text, name)
		}
	})
}

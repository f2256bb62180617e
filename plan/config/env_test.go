package config_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/plan/config"
)

func TestEveryVariable(t *testing.T) {
	o, err := config.FromEnv([]string{
		"PATH=/bin", "BROKERBENCHMARK=1", "BROKERBENCH_RATE=1,2k", "BROKERBENCH_SIZE=16", "BROKERBENCH_CONNECTIONS=2",
		"BROKERBENCH_IN_FLIGHT=1,open", "BROKERBENCH_ARRIVALS=constant,poisson,burst:10", "BROKERBENCH_DURATION=1s", "BROKERBENCH_WARMUP=0",
		"BROKERBENCH_TIMEOUT=2s", "BROKERBENCH_REPEAT=3", "BROKERBENCH_SEED=4", "BROKERBENCH_SENDERS=5", "BROKERBENCH_SPIN=6us",
		"BROKERBENCH_NAME=n", "BROKERBENCH_OUT=a=b, c", "BROKERBENCH_TARGETS= nats://a?b=c,d  redis://e ",
		"BROKERBENCH_NATS_URL=x", "BROKERBENCH_KAFKA_TLS_URL=x", "BROKERBENCH_STATE=x", "BROKERBENCH_MINE=x",
	}, "BROKERBENCH_MINE")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Overrides{
		Targets: []string{"nats://a?b=c,d", "redis://e"}, Rate: []string{"1,2k"}, Size: []string{"16"}, Connections: []string{"2"},
		InFlight: []string{"1,open"}, Arrivals: []string{"constant,poisson,burst:10"}, Name: "n", Duration: "1s", Warmup: "0", Timeout: "2s",
		Repeat: "3", Seed: "4", Senders: "5", Spin: "6us", Out: "a=b, c",
	}
	if got, want := exported(o), exported(want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// exported returns the fields that a caller sees.
func exported(o config.Overrides) string {
	return fmt.Sprintf("%q", []any{
		o.Targets, o.Rate, o.Size, o.Connections, o.InFlight, o.Arrivals,
		o.Name, o.Duration, o.Warmup, o.Timeout, o.Repeat, o.Seed, o.Senders, o.Spin, o.Out,
	})
}

func TestUnknownVariables(t *testing.T) {
	_, err := config.FromEnv([]string{
		"BROKERBENCH_RTAE=secret", "BROKERBENCH_INFLIGHT=1", "BROKERBENCH_BANANA=1", "BROKERBENCH_=1", "BROKERBENCH_rate=1", "BROKERBENCH_NATS_URI=1",
	})
	want := `BROKERBENCH_RTAE: unknown variable (did you mean "BROKERBENCH_RATE"?)
BROKERBENCH_INFLIGHT: unknown variable (did you mean "BROKERBENCH_IN_FLIGHT"?)
BROKERBENCH_BANANA: unknown variable
BROKERBENCH_: unknown variable
BROKERBENCH_rate: unknown variable (did you mean "BROKERBENCH_RATE"?)
BROKERBENCH_NATS_URI: unknown variable`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestFromEnvKeepsItsArguments(t *testing.T) {
	others := make([]string, 1, 10)
	others[0] = "BROKERBENCH_MINE"
	if _, err := config.FromEnv(nil, others...); err != nil || !slices.Equal(others[:2], []string{"BROKERBENCH_MINE", ""}) {
		t.Errorf("%v, %q", err, others[:2])
	}
}

func TestOver(t *testing.T) {
	high := config.Overrides{Rate: []string{"1"}, Name: "high"}
	low := config.Overrides{Rate: []string{"2"}, Size: []string{"16"}, Name: "low", Seed: "7", Targets: []string{"x:"}, Out: "o"}
	want := config.Overrides{Rate: []string{"1"}, Size: []string{"16"}, Name: "high", Seed: "7", Targets: []string{"x:"}, Out: "o"}
	if got, want := exported(high.Over(low)), exported(want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := exported(high), exported(config.Overrides{Rate: []string{"1"}, Name: "high"}); got != want {
		t.Errorf("Over changed its receiver to %s", got)
	}
}

// Where a mistake is from survives the layers: the flag's value is the flag's
// although the variable is set, too.
func TestOverKeepsWhereValuesAreFrom(t *testing.T) {
	env, err := config.FromEnv([]string{"BROKERBENCH_RATE=x", "BROKERBENCH_SIZE=x", "BROKERBENCH_TARGETS=x"})
	if err != nil {
		t.Fatal(err)
	}
	o := config.Overrides{Rate: []string{"y"}}.Over(env).Over(config.Overrides{Seed: "z"})
	_, err = config.Load("", o, config.Options{})
	want := `--seed: seed "z": want a whole number, 0 or above
BROKERBENCH_TARGETS: not a URL: it needs a scheme, as in nats://127.0.0.1:4222
--rate: rate "y": want ops per second, such as 3000, 20k or 1M
BROKERBENCH_SIZE: size "x": want bytes, such as 256B, 1KiB (1024 bytes) or 1KB (1000 bytes)`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

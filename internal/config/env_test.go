package config_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
)

func TestEveryVariable(t *testing.T) {
	o, err := config.FromEnv([]string{
		"PATH=/bin", "BROKERBENCHMARK=1", "BROKERBENCH_RATE=1,2k", "BROKERBENCH_SIZE=16", "BROKERBENCH_CONNECTIONS=2", "BROKERBENCH_TOPICS=1", "BROKERBENCH_GROUPS=1,3", "BROKERBENCH_MEMBERS=own", "BROKERBENCH_PAYLOAD=random", "BROKERBENCH_HEADERS=8x32", "BROKERBENCH_KEYS=9",
		"BROKERBENCH_IN_FLIGHT=1,open", "BROKERBENCH_ARRIVALS=constant,poisson,burst:10", "BROKERBENCH_DURATION=1s", "BROKERBENCH_WARMUP=0",
		"BROKERBENCH_TIMEOUT=2s", "BROKERBENCH_PERCENTILES=50,99", "BROKERBENCH_FLOOR=off", "BROKERBENCH_AUDIT=off", "BROKERBENCH_COLD=on", "BROKERBENCH_BACKLOG=1M,none", "BROKERBENCH_UNTIL_STORE=2GiB,none", "BROKERBENCH_DURABILITY=process", "BROKERBENCH_SLO=p99<5ms", "BROKERBENCH_SLO_OBSERVED=on", "BROKERBENCH_USER=8, 50 in parallel", "BROKERBENCH_ECHO=process", "BROKERBENCH_REPEAT=3", "BROKERBENCH_SEED=4", "BROKERBENCH_SENDERS=5", "BROKERBENCH_SPIN=6us",
		"BROKERBENCH_NAME=n", "BROKERBENCH_OUT=a=b, c", "BROKERBENCH_TARGETS= nats://a?b=c,d  redis://e ",
		"BROKERBENCH_NATS_URL=x", "BROKERBENCH_KAFKA_TLS_URL=x", "BROKERBENCH_STATE=x", "BROKERBENCH_MINE=x",
	}, "BROKERBENCH_MINE")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Values{
		"targets": {"nats://a?b=c,d", "redis://e"}, "rate": {"1,2k"}, "size": {"16"}, "connections": {"2"}, "topics": {"1"}, "groups": {"1,3"}, "members": {"own"}, "payload": {"random"}, "headers": {"8x32"}, "keys": {"9"}, "in-flight": {"1,open"},
		"arrivals": {"constant,poisson,burst:10"}, "name": {"n"}, "duration": {"1s"}, "warmup": {"0"}, "timeout": {"2s"},
		"repeat": {"3"}, "seed": {"4"}, "senders": {"5"}, "spin": {"6us"}, "percentiles": {"50,99"}, "floor": {"off"}, "audit": {"off"}, "cold": {"on"}, "backlog": {"1M,none"}, "until-store": {"2GiB,none"}, "durability": {"process"}, "slo": {"p99<5ms"}, "slo-observed": {"on"}, "user": {"8, 50 in parallel"}, "echo": {"process"}, "out": {"a=b, c"},
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %q\nwant %q", o, want)
	}
	for _, k := range config.Keys() {
		if len(want[k.Name]) == 0 {
			t.Errorf("no variable of %s is tested", k.Name)
		}
	}
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

func TestFlagsGoOverTheEnvironment(t *testing.T) {
	o := config.Overrides{
		Flags:    config.Values{"rate": {"1"}, "name": {"flag"}},
		Env:      config.Values{"rate": {"2"}, "size": {"16"}, "name": {"env"}, "out": {"o"}},
		Defaults: config.Values{"name": {"default"}, "size": {"32"}, "seed": {"7"}},
	}
	for name, want := range map[string]string{"rate": "1", "name": "flag", "size": "16", "out": "o", "seed": "7", "repeat": "1", "slo": "", "none": ""} {
		if got := o.Text(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if given := o.Given("repeat"); given != nil {
		t.Errorf("repeat is given as %q", given)
	}
}

// A mistake names where the value is from: the flag, even if the variable is set,
// too.
func TestMistakesNameWhereValuesAreFrom(t *testing.T) {
	env, err := config.FromEnv([]string{"BROKERBENCH_RATE=x", "BROKERBENCH_SIZE=x", "BROKERBENCH_TARGETS=x"})
	if err != nil {
		t.Fatal(err)
	}
	o := config.Overrides{Flags: config.Values{"rate": {"y"}}, Env: env, Defaults: config.Values{"seed": {"z"}}}
	_, err = config.Load("", o, config.Options{})
	want := `default of seed: seed "z": want a whole number, 0 or above
BROKERBENCH_TARGETS: target "x": not a URL: it needs a scheme, as in nats://127.0.0.1:4222, or is the name of a broker, such as nats
--rate: rate "y": want messages per second, minute or hour, such as 3000, 20k, 0.1/s, 6/m or 90/h
BROKERBENCH_SIZE: size "x": want bytes, such as 256B, 1KiB (1024 bytes) or 1KB (1000 bytes)`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

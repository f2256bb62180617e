//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

func TestWhySkipped(t *testing.T) {
	const skipped = "redis: redis-server is not installed\nkafka: no java\n"
	for name, want := range map[string]string{
		"redis": "redis-server is not installed", "kafka": "no java", "rabbitmq": "otherwise", "": "otherwise",
	} {
		if got := whySkipped(skipped, name, "otherwise"); got != want {
			t.Errorf("whySkipped(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestFindSaysWhyABrokerIsMissing gives one broker that is not there and leaves
// out the others. (NATS has a URL, lest a server be started.)
func TestFindSaysWhyABrokerIsMissing(t *testing.T) {
	env := map[string]string{
		"BROKERBENCH_NATS_URL": "nats://127.0.0.1:1", "BROKERBENCH_RABBITMQ_URL": "amqp://guest:s3cret@127.0.0.1:1",
		"SKIPPED_BROKERS": "kafka: no java\n",
	}
	var b bench
	stop, err := b.find(t.Context(), func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if got, want := b.brokers["kafka"].missing, "no java"; got != want {
		t.Errorf("kafka: %q, want %q", got, want)
	}
	if got, want := b.brokers["redis"].missing, "BROKERBENCH_REDIS_URL is not set"; got != want {
		t.Errorf("redis: %q, want %q", got, want)
	}
	for _, name := range []string{"nats", "rabbitmq"} {
		if b.brokers[name].missing == "" {
			t.Errorf("%s is there, want a reason why it cannot be reached", name)
		}
	}
}

func TestAPartThatCannotBeMeasuredIsARow(t *testing.T) {
	b := bench{brokers: map[string]broker{"redis": {missing: "no redis"}, "nats": {url: "nats://h"}}}
	called := ""
	fail := func(_ context.Context, _ bench, url string) ([]row, error) {
		called += url
		return []row{{what: "first"}}, errors.New("gone")
	}
	for _, tc := range []struct {
		part part
		want []row
	}{
		{part{"a", "redis", fail}, []row{{what: "a", measured: "not measured: no redis"}}},
		{part{"b", "nats", fail}, []row{{what: "first"}, {what: "b", measured: "not measured: gone"}}},
		{part{"c", "", fail}, []row{{what: "first"}, {what: "c", measured: "not measured: gone"}}},
	} {
		if got := tc.part.rows(t.Context(), b); !slices.Equal(got, tc.want) {
			t.Errorf("part %s: got %+v, want %+v", tc.part.what, got, tc.want)
		}
	}
	if called != "nats://h" {
		t.Errorf("called with %q, want that of nats alone", called)
	}
}

func TestPickWantsEveryOpDone(t *testing.T) {
	value := int64(7)
	c := results.Cell{
		Ledger:   results.Ledger{Due: 2, Done: 2},
		Response: results.Distribution{Percentiles: []results.Percentile{{Percentile: 50, ValueNS: &value}, {Percentile: 99}}},
	}
	if got, err := pick(&c, at{&c.Response, 50}); err != nil || !slices.Equal(got, durations{7}) {
		t.Errorf("p50: got %v, %v, want 7 ns", got, err)
	}
	for _, p := range []float64{99, 12} {
		if got, err := pick(&c, at{&c.Response, p}); err == nil {
			t.Errorf("p%v is not known, got %v", p, got)
		}
	}
	c.Ledger.Done = 1
	if got, err := pick(&c, at{&c.Response, 50}); err == nil {
		t.Errorf("an op is missing, got %v", got)
	}
}

func TestHighWater(t *testing.T) {
	for status, want := range map[string]float64{
		"Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1000 kB\n": 1234 << 10,
		"Name:\tx\nState:\tZ (zombie)\n":                                       0,
		"":                                                                     0,
	} {
		if got := highWater([]byte(status)); got != want {
			t.Errorf("highWater(%q) = %v, want %v", status, got, want)
		}
	}
	if got := watchResident(os.Getpid())(); got < 1<<20 {
		t.Errorf("this process has had %v bytes, want more than a MiB", got)
	}
}

func TestCostPerMillion(t *testing.T) {
	c := process{cpu: 2, Cell: &results.Cell{Ledger: results.Ledger{Done: 80_000}, WarmupLedger: results.Ledger{Done: 20_000}}}
	if got, want := c.costPerMillion(), 20.0; got != want {
		t.Errorf("got %v s, want %v s", got, want)
	}
}

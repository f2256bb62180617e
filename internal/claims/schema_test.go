package claims_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/claims"
)

// TestSchema reads claims of every kind, and with every mistake that the schema knows: it refuses what
// reading refuses.
func TestSchema(t *testing.T) {
	data, err := jsonschema.UnmarshalJSON(strings.NewReader(claims.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("claims.json", data); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("claims.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		"rank: {percentile: 99, order: [redis, nats ≈ kafka], within: 1.2, series: ack}":                                         true,
		"ratio: {percentile: 99, of: redis, to: floor, low: 2}":                                                                  true,
		"ratio: {percentile: 99.9, of: {target: redis, series: response}, to: {target: redis, series: service}, low: 10}":        true,
		"ratio: {percentile: 50, of: {target: redis, shape: 100-1MiB-c1-f1}, to: {target: redis, shape: 2-5KiB-c1-f1}, high: 1}": true,
		"ratio: {of: {target: redis, percentile: 99.9}, to: {target: redis, percentile: 50}, low: 10}":                           true,
		"rate: {slo: 'p99<10ms', of: kafka, to: nats, low: 0.3, high: 0.6}":                                                      true,
		"cost: {of: kafka, to: nats, low: 2}":                                                                                    true,
		"cost: {slo: 'p99<10ms', cpu: both, of: kafka, to: {target: nats, shape: x}, low: 2}":                                    true,
		"lost: {target: kafka}":                           true,
		"outage: {target: kafka, fault: 1, below_s: 2.5}": true,
		"": false,
		"rank: {percentile: 101, order: [redis, nats]}":                        false,
		"rank: {percentile: 99, order: [redis, nats], of: kafka}":              false,
		"rank: {percentile: 99, order: [redis, nats], series: fastest}":        false,
		"ratio: {percentile: 99, of: {target: a, size: 1}, to: b, low: 1}":     false,
		"ratio: {percentile: 99, of: {series: ack}, to: b, low: 1}":            false,
		"rate: {of: kafka, to: nats, low: 0.3}":                                false,
		"rate: {slo: 'p99<10ms', of: {target: a, series: ack}, to: b, low: 1}": false,
		"cost: {cpu: broker, of: kafka, to: nats, low: 0.3}":                   false,
		"lost: {}":                            false,
		"outage: {target: kafka, below_s: 0}": false,
		"outage: {target: kafka, below_s: 1}\n    lost: {target: kafka}": false,
	} {
		text = head + "    " + text + "\n"
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != good {
			t.Errorf("%s: the schema says %v", text, err)
		}
		if _, err := claims.Parse("claims.yaml", []byte(text)); (err == nil) != good {
			t.Errorf("%s: reading says %v", text, err)
		}
	}
}

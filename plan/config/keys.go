package config

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Key is a row of the table of keys. A plan file, the flag --name and the
// variable BROKERBENCH_NAME share it: reading, the JSON Schema, the environment and
// the help all go by this table. To add a key, add a row to settings or axes.
type Key struct {
	Name    string
	Help    string // one line
	Default string // as a user would write it; "" if there is none
	List    bool   // whether a flag or variable takes several values

	sweep    string // an example of a range; "" if the key takes none
	examples []any
	schema   object // of a single value
}

// Keys returns the whole table.
func Keys() []Key {
	keys := []Key{
		{Name: "targets", List: true, Help: "what to measure: URLs, or names of the plan's targets"},
		sloKey(),
		{Name: "out", Help: "folder of results", Default: defaultOut},
	}
	for _, s := range settings() {
		keys = append(keys, s.Key)
	}
	for _, a := range axes() {
		keys = append(keys, a.Key)
	}
	return keys
}

func sloKey() Key {
	return Key{
		Name: "slo", List: true, Help: "what the results should satisfy, such as p99.9<5ms, loss<0.001% or rate>99%; else exit code 3",
		examples: []any{"p99.9<5ms", "loss<0.001%"}, schema: sloSchema(),
	}
}

// settings returns the keys that all cells of a plan have in common, in the order
// in which the template shows them.
func settings() []setting {
	return []setting{
		{
			Key{Name: "name", Help: "name of the run, in the name of its folder", examples: []any{"classic"}, schema: nameSchema()},
			into(func(p *plan.Plan) *string { return &p.Name }, parseName),
		},
		{
			Key{Name: "duration", Help: "how long each cell is measured, after the warm-up", Default: defaultDuration, examples: []any{"30s", "5m"}, schema: duration()},
			into(func(p *plan.Plan) *time.Duration { return &p.Settings.Duration }, parseDuration),
		},
		{
			Key{Name: "warmup", Help: "how long each cell runs before it is measured, in the same schedule", Default: defaultWarmup, examples: []any{"5s", "0s"}, schema: or(duration(), 0)},
			into(func(p *plan.Plan) *time.Duration { return &p.Settings.Warmup }, parseDuration),
		},
		{
			Key{Name: "timeout", Help: "how long to wait for replies after the last message was due", Default: defaultTimeout, examples: []any{"30s"}, schema: duration()},
			into(func(p *plan.Plan) *time.Duration { return &p.Settings.Timeout }, parseDuration),
		},
		{
			Key{Name: "repeat", Help: "how often to measure each cell, the targets in random order", Default: defaultRepeat, examples: []any{1, 3}, schema: count(maxRepeat)},
			into(func(p *plan.Plan) *int { return &p.Repeat }, countTo(maxRepeat)),
		},
		{
			Key{Name: "seed", Help: "seed of random arrivals, message contents and the order of repeats", Default: defaultSeed, examples: []any{1}, schema: object{"type": "integer", "minimum": 0}},
			into(func(p *plan.Plan) *uint64 { return &p.Settings.Seed }, parseSeed),
		},
		{
			Key{Name: "senders", Help: "threads that send; connections are split among them", Default: defaultSenders, examples: []any{1}, schema: count(maxSenders)},
			into(func(p *plan.Plan) *int { return &p.Settings.Senders }, countTo(maxSenders)),
		},
		{
			Key{Name: "spin", Help: "how long a sender spins before a message is due, or auto: as the rate and the cores allow", Default: defaultSpin, examples: []any{"auto", "50us"}, schema: or(or(duration(), 0), "auto")},
			into(func(p *plan.Plan) *plan.Spin { return &p.Settings.Spin }, parseSpin),
		},
		{
			Key{Name: "percentiles", Help: "percentiles that the result is for; one that cannot be relied on makes it suspect", Default: commas(plan.DefaultPercentiles()), examples: []any{"50,99,99.9", "99.99"}, schema: percentilesSchema()},
			into(func(p *plan.Plan) *[]float64 { return &p.Settings.Percentiles }, parsePercentiles),
		},
		{
			Key{Name: "floor", Help: "measure first what the tool and the kernel cost alone: on, off", Default: defaultFloor, examples: []any{"on", "off"}, schema: words("on", "off")},
			into(func(p *plan.Plan) *bool { return &p.Settings.Floor }, parseSwitch),
		},
	}
}

// axes returns the keys that cells differ in, the one that changes slowest first.
func axes() []axis {
	return []axis{
		numbers(
			Key{Name: "rate", Help: "messages per second over all connections", Default: defaultRate, sweep: "1k..64k*2", examples: []any{3000, "20k"}, schema: numeric(rateText)},
			func(s *plan.Shape) *int { return &s.Rate }, ParseRate,
		),
		numbers(
			Key{Name: "size", Help: "bytes of a message and of its reply", Default: defaultSize, sweep: "256B..1MiB*4", examples: []any{"256B", "1KiB"}, schema: numeric(sizeText)},
			func(s *plan.Shape) *int { return &s.Size }, parseSize,
		),
		numbers(
			Key{Name: "connections", Help: "connections that share the rate", Default: defaultConnections, sweep: "1..256*4", examples: []any{1, 25}, schema: count(math.MaxInt32)},
			func(s *plan.Shape) *int { return &s.Connections }, countTo(math.MaxInt32),
		),
		numbers(
			Key{Name: "in-flight", Help: "messages in flight at once on one connection, or open for no limit", Default: defaultInFlight, sweep: "1..64*2", examples: []any{1, "open"}, schema: or(count(math.MaxInt32), "open")},
			func(s *plan.Shape) *int { return &s.InFlight }, parseInFlight,
		),
		{
			row[plan.Shape]{
				Key{Name: "arrivals", List: true, Help: "how messages are spread over time: constant, poisson, or burst:N (N at the same moment)", Default: defaultArrivals, examples: []any{"constant", "poisson", "burst:10"}, schema: arrivalsSchema()},
				into(func(s *plan.Shape) *schedule.Arrivals { return &s.Arrivals }, parseArrivals),
			}, nil,
		},
	}
}

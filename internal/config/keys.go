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
	Short   string // the letter of the flag; "" if there is none
	Help    string // one line
	Default string // as a user would write it; "" if there is none
	List    bool   // whether a flag or variable takes several values

	words    []string // that are values
	sweep    string   // an example of a range; "" if the key takes none
	examples []any
	schema   object                            // of a single value
	put      func(d *draft, text string) error // see into; set adds the text to its error
	scale    *scale                            // of a range; nil if the key takes none
}

// Keys returns the whole table.
func Keys() []Key {
	keys := []Key{
		{Name: "targets", List: true, Help: "what to measure: URLs, or names of the plan's targets"},
		sloKey(),
		{Name: "out", Help: "folder in which each run makes a new folder for its results", Default: "./brokerbench-results"},
	}
	return append(append(keys, settings()...), axes()...)
}

func sloKey() Key {
	return Key{
		Name: "slo", List: true, words: []string{"p50<", "p99<", "p99.9<", "max<", "loss<", "rate>"}, Help: "objectives for the results, such as p99.9<5ms, loss<0.001% or rate>99%; else exit code 3",
		examples: []any{"p99.9<5ms", "loss<0.001%"}, schema: sloSchema(),
	}
}

// settings returns the keys that all cells of a plan have in common, in the order
// in which the template shows them.
func settings() []Key {
	return append([]Key{
		{
			Name: "name", Help: "name of the run, in the name of its folder", examples: []any{"classic"}, schema: nameSchema(),
			put: into(func(d *draft) *string { return &d.Name }, parseName),
		},
		{
			Name: "duration", Short: "d", Default: "30s", Help: "how long each cell is measured, after the warm-up",
			examples: []any{"30s", "5m"}, schema: matching(durationText),
			put: into(func(d *draft) *time.Duration { return &d.Settings.Duration }, parseDuration),
		},
		{
			Name: "warmup", Default: "5s", Help: "how long each cell runs before it is measured, in the same schedule",
			examples: []any{"5s", "0s"}, schema: or(matching(durationText), 0),
			put: into(func(d *draft) *time.Duration { return &d.Settings.Warmup }, parseDuration),
		},
		{
			Name: "timeout", Default: "30s", Help: "how long to wait for replies after the last message was due",
			examples: []any{"30s"}, schema: matching(durationText),
			put: into(func(d *draft) *time.Duration { return &d.Settings.Timeout }, parseDuration),
		},
		{
			Name: "repeat", Default: "1", Help: "how often to measure each cell, the targets in random order",
			examples: []any{1, 3}, schema: count(maxRepeat),
			put: into(func(d *draft) *int { return &d.Repeat }, countTo(maxRepeat)),
		},
		{
			Name: "seed", Default: "1", Help: "seed of random arrivals, message contents and the order of repeats",
			examples: []any{1}, schema: object{"type": "integer", "minimum": 0},
			put: into(func(d *draft) *uint64 { return &d.Settings.Seed }, parseSeed),
		},
		{
			Name: "senders", Default: "1", Help: "threads that send; connections are split among them",
			examples: []any{1}, schema: count(maxSenders),
			put: into(func(d *draft) *int { return &d.Settings.Senders }, countTo(maxSenders)),
		},
		{
			Name: "spin", Default: "auto", words: []string{"auto"}, Help: "how long a sender spins before a message is due, or auto: as the rate and the cores allow",
			examples: []any{"auto", "50us"}, schema: or(or(matching(durationText), 0), "auto"),
			put: into(func(d *draft) *plan.Spin { return &d.Settings.Spin }, parseSpin),
		},
		{
			Name: "percentiles", Default: commas(plan.DefaultPercentiles()),
			Help:     "percentiles that you need; the result names those that cannot be relied on",
			examples: []any{"50,99,99.9", "99.99"}, schema: percentilesSchema(),
			put: into(func(d *draft) *[]float64 { return &d.Settings.Percentiles }, parsePercentiles),
		},
		{
			Name: "floor", Default: "on", words: []string{"on", "off"}, Help: "measure first what the tool and the kernel cost alone: on, off",
			examples: []any{"on", "off"}, schema: words("on", "off"),
			put: into(func(d *draft) *bool { return &d.Settings.Floor }, parseSwitch),
		},
	}, append(durabilityKeys(), echoKey())...)
}

// axes returns the keys that cells differ in, the one that changes slowest first.
func axes() []Key {
	return []Key{
		{
			Name: "rate", Short: "r", Default: "3000", List: true, Help: "messages per second over all connections, or per minute (6/m) or hour (90/h)",
			sweep: "1k..64k*2", examples: []any{3000, "20k", "0.1/s"}, schema: anyOf(object{"type": "number", "minimum": schedule.MinRate}, matching(rateText)),
			put: into(func(d *draft) *schedule.Rate { return &d.Rate }, ParseRate), scale: rates(),
		},
		{
			Name: "size", Short: "s", Default: "1KiB", List: true, Help: "bytes of a message and of its reply",
			sweep: "256B..1MiB*4", examples: []any{"256B", "1KiB"}, schema: numeric(sizeText),
			put: into(func(d *draft) *int { return &d.Size }, ParseSize), scale: counting(ParseSize),
		},
		{
			Name: "connections", Short: "c", Default: "1", List: true, Help: "connections that share the rate",
			sweep: "1..256*4", examples: []any{1, 25}, schema: count(math.MaxInt32),
			put: into(func(d *draft) *int { return &d.Connections }, countTo(math.MaxInt32)), scale: counting(countTo(math.MaxInt32)),
		},
		{
			Name: "in-flight", Default: "open", List: true, words: []string{"open"}, Help: "messages in flight at once on one connection, or open for no limit",
			sweep: "1..64*2", examples: []any{1, "open"}, schema: or(count(math.MaxInt32), "open"),
			put: into(func(d *draft) *int { return &d.InFlight }, parseInFlight), scale: counting(parseInFlight),
		},
		{
			Name: "arrivals", Default: "constant", List: true, words: []string{string(schedule.Constant), string(schedule.Poisson), "burst:"},
			Help:     "how messages are spread over time: constant, poisson, or burst:N (N at the same moment)",
			examples: []any{"constant", "poisson", "burst:10"}, schema: arrivalsSchema(),
			put: into(func(d *draft) *schedule.Arrivals { return &d.Arrivals }, parseArrivals),
		},
	}
}

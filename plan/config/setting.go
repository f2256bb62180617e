package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// A setting is a key that all cells of a plan have in common.
type setting struct {
	key
	set   func(p *plan.Plan, text string) error // reads text; does not check limits
	given func(*Overrides) *string
}

// Limits that keep a slip of the finger from being an experiment.
const (
	maxRepeat  = 10_000
	maxSenders = 1024
)

// settings returns the settings in the order in which the schema and the
// template show them.
func settings() []setting {
	return []setting{
		{
			key{"name", "Names the folder of the results: letters, digits, dash, underscore and dot.", "", []any{"classic"}, nameSchema()},
			setName, func(o *Overrides) *string { return &o.Name },
		},
		{
			key{"duration", "How long each cell is measured, after the warm-up.", plan.DefaultDuration.String(), []any{"30s", "5m"}, duration()},
			setDuration, func(o *Overrides) *string { return &o.Duration },
		},
		{
			key{"warmup", "How long each cell runs before it is measured, in the same schedule.", plan.DefaultWarmup.String(), []any{"5s", "0s"}, zeroOr(duration())},
			setWarmup, func(o *Overrides) *string { return &o.Warmup },
		},
		{
			key{"timeout", "How long to wait for replies after the last request was due.", plan.DefaultTimeout.String(), []any{"30s"}, duration()},
			setTimeout, func(o *Overrides) *string { return &o.Timeout },
		},
		{
			key{"repeat", "How often every cell is measured, the targets in random order.", "1", []any{1, 3}, count(maxRepeat)},
			setRepeat, func(o *Overrides) *string { return &o.Repeat },
		},
		{
			key{"seed", "Seed of drawn arrivals, of the messages' contents and of the order of repeats.", strconv.Itoa(plan.DefaultSeed), []any{1}, object{"type": "integer", "minimum": 0}},
			setSeed, func(o *Overrides) *string { return &o.Seed },
		},
		{
			key{"senders", "Threads that send; connections are split over them.", "1", []any{1}, count(maxSenders)},
			setSenders, func(o *Overrides) *string { return &o.Senders },
		},
		{
			key{"spin", "How long before a request is due its sender stops sleeping and spins, or auto: chosen from the rate and the cores.", "auto", []any{"auto", "50us"}, orWord(zeroOr(duration()), "auto")},
			setSpin, func(o *Overrides) *string { return &o.Spin },
		},
		{
			key{"percentiles", "What the result is for: a percentile of these that cannot be relied on makes it suspect.", "50,99,99.9", []any{"50,99,99.9", "99.99"}, percentilesSchema()},
			setPercentiles, func(o *Overrides) *string { return &o.Percentiles },
		},
		{
			key{"floor", "Whether to measure first, for a second each, what the tool and the kernel cost alone: on or off.", "on", []any{"on", "off"}, words([]string{"on", "off"})},
			setFloor, func(o *Overrides) *string { return &o.Floor },
		},
	}
}

func setName(p *plan.Plan, text string) error {
	p.Name = text
	return checkName(text)
}

func setDuration(p *plan.Plan, text string) (err error) {
	p.Settings.Duration, err = parseDuration("duration", text)
	return err
}

func setWarmup(p *plan.Plan, text string) (err error) {
	p.Settings.Warmup, err = parseDuration("warmup", text)
	return err
}

func setTimeout(p *plan.Plan, text string) (err error) {
	p.Settings.Timeout, err = parseDuration("timeout", text)
	return err
}

func setRepeat(p *plan.Plan, text string) (err error) {
	p.Repeat, err = parseCount("repeat", text, maxRepeat)
	return err
}

func setSeed(p *plan.Plan, text string) (err error) {
	if p.Settings.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
		return fmt.Errorf("seed %s: want a whole number, 0 or above", quote(text))
	}
	return nil
}

func setSenders(p *plan.Plan, text string) (err error) {
	p.Settings.Senders, err = parseCount("senders", text, maxSenders)
	return err
}

func setSpin(p *plan.Plan, text string) error {
	if err := p.Settings.Spin.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("spin %s: want auto or a time such as 50us", quote(text))
	}
	return nil
}

func setPercentiles(p *plan.Plan, text string) error {
	p.Settings.Percentiles = nil
	for _, word := range strings.Split(text, ",") {
		percentile, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !slices.Contains(plan.KnownPercentiles(), percentile) {
			return fmt.Errorf("percentiles %s: want some of %v, with commas", quote(text), plan.KnownPercentiles())
		}
		p.Settings.Percentiles = append(p.Settings.Percentiles, percentile)
	}
	return nil
}

func setFloor(p *plan.Plan, text string) error {
	if text != "on" && text != "off" {
		return fmt.Errorf("floor %s: want on or off", quote(text))
	}
	p.Settings.Floor = text == "on"
	return nil
}

// defaultPlan returns a plan with the default settings and no cells.
func defaultPlan() (p plan.Plan) {
	for _, s := range settings() {
		if s.def == "" {
			continue
		}
		if err := s.set(&p, s.def); err != nil {
			panic("config: default of " + s.name + ": " + err.Error())
		}
	}
	return p
}

// check returns what is wrong with a value.
func (s setting) check(text string) error {
	p := defaultPlan()
	if err := s.set(&p, text); err != nil {
		return err
	}
	return p.Settings.Validate()
}

// namePattern is what names a folder on every system.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

var (
	goodName = regexp.MustCompile(namePattern)
	notName  = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// checkName checks the name of a plan or target.
func checkName(text string) error {
	if goodName.MatchString(text) {
		return nil
	}
	err := fmt.Errorf("name %s: want letters, digits, - _ and . only, a letter or digit first, at most 64", quote(text))
	better := strings.Trim(notName.ReplaceAllString(redact(text), "-"), "-._")
	if better = better[:min(len(better), 64)]; better != "" {
		err = fmt.Errorf("%w (such as %q)", err, better)
	}
	return err
}

package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// searchOptions are the arguments and flags of search.
type searchOptions struct {
	measureOptions
	cfg     search.Config
	details bool
}

// define defines the flags. Those that it shares with run come from the same table.
func (o *searchOptions) define(f *pflag.FlagSet) {
	o.plan.Defaults = config.Values{"duration": {search.DefaultWindow.String()}, "warmup": {"1s"}, "timeout": {"5s"}, "name": {"search"}, "audit": {"off"}}
	o.plan.DefineKeys(f, map[string]string{
		"slo":         "what to keep, such as p99.9<5ms, loss<0.001% or rate>99%; several give a row each",
		"duration":    "length of a probe's window, at least",
		"size":        "bytes of a message and of its reply, a search for each",
		"connections": "connections that share the rate, a search for each",
		"warmup":      "how long each probe runs before its window, in the same schedule",
		"timeout":     "how long to wait for replies after the last message of a probe was due",
		"seed":        "seed of random arrivals and message contents",
		"floor":       "measure before each probe what the tool and the kernel cost alone: on, off",
		"audit":       "read back the stored messages after each probe, and compare them with the acknowledged ones: on, off",
	}, "rate", "repeat", "percentiles", "slo-observed")
	c := &o.cfg
	*c = search.Config{From: search.DefaultFrom, Max: search.DefaultMax, Precision: search.DefaultPrecision}
	read(f, &c.From, "from", fmt.Sprintf("the lowest `rate`, with which the search begins (default %d)", c.From), parseWholeRate)
	read(f, &c.Max, "max", fmt.Sprintf("the highest `rate` that is tried (default %dM)", c.Max/1_000_000), parseWholeRate)
	read(f, &c.Precision, "precision", fmt.Sprintf("how far apart, in `percent`, the rates may be that keep and do not keep the SLO (default %v%%)", 100*c.Precision), parsePrecision)
	f.DurationVar(&c.Confirm, "confirm", search.DefaultConfirm, "how long a rate is measured at least before it is decided")
	f.DurationVar(&c.Pause, "pause", search.DefaultPause, "a pause that an answer must exclude even if none was seen; 0: only what was seen counts")
	f.DurationVar(&c.AtMost, "at-most", search.DefaultAtMost, "how long the search on a target may take, for each size and number of connections; the rest is reported as undecided")
	f.BoolVar(&o.details, "details", false, "also show on what each rate rests")
	o.measureOptions.define(f)
}

// resolve returns what is searched for, and the plan whose cells are where each
// search begins.
func (o *searchOptions) resolve(s command.Streams) (cfg search.Config, p plan.Plan, err error) {
	cfg = o.cfg
	if cfg.Pause == 0 {
		cfg.Pause = -1 // none
	}
	if cfg.AtMost <= 0 {
		return cfg, p, command.Usage(fmt.Errorf("--at-most %v: want a time above 0, such as 30m", cfg.AtMost))
	}
	o.plan.Flags["rate"] = []string{fmt.Sprint(cfg.From)}
	p, own, err := o.plan.Plan(s, o.targets)
	if err == nil && own {
		err = command.Usage(errors.New("want a target, such as nats://127.0.0.1:4222"))
	}
	if err != nil {
		return cfg, p, err
	}
	p.Repeat = 1
	cfg.Window = p.Settings.Duration
	for _, slo := range p.SLOs {
		cfg.Objectives = append(cfg.Objectives, slo.Objective)
	}
	return cfg, p, command.Usage(errors.Join(cfg.Validate(), checkTimeout(p)))
}

// checkTimeout refuses to give up on replies before an SLO's limit is over.
func checkTimeout(p plan.Plan) error {
	for _, slo := range p.SLOs {
		if o := slo.Objective; o.Metric == "" && o.Limit >= float64(p.Settings.Timeout) {
			return fmt.Errorf("--timeout %v is not above the limit of %v", p.Settings.Timeout, o)
		}
	}
	return nil
}

// read defines a flag whose value parse reads.
func read[T any](f *pflag.FlagSet, value *T, name, help string, parse func(string) (T, error)) {
	f.Func(name, help, func(text string) (err error) {
		*value, err = parse(text)
		return err
	})
}

// parseWholeRate reads a rate that search can halve and step: a whole number of
// messages per second.
func parseWholeRate(text string) (int, error) {
	rate, err := config.ParseRate(text)
	if n := int(rate); err != nil || schedule.Rate(n) == rate {
		return n, err
	}
	return 0, errors.New("search steps by whole messages per second: want 1 or above, such as 20 or 1k (run takes slower rates)")
}

// parsePrecision reads a percentage as a part of 1.
func parsePrecision(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(v > 0) {
		return 0, errors.New("want a percentage, such as 5%")
	}
	return v / 100, nil
}

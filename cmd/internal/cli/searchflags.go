package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

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
	dryRun  bool
}

// define defines the flags. Those that it shares with run come from the same table.
func (o *searchOptions) define(f *pflag.FlagSet) {
	o.once = "a search continues from its earlier probes, which are lost"
	o.plan.Defaults = config.Values{"duration": {search.DefaultWindow.String()}, "warmup": {"1s"}, "timeout": {"5s"}, "name": {"search"}, "audit": {"off"}}
	o.plan.Define(f, "rate", "repeat", "percentiles", "slo-observed", "user", "backlog", "until-store", "cold")
	c := &o.cfg
	*c = search.Config{From: search.DefaultFrom, Max: search.DefaultMax, Precision: search.DefaultPrecision}
	read(f, &c.From, "from", fmt.Sprintf("the lowest `rate`, with which the search begins (default %d)", c.From), parseWholeRate)
	read(f, &c.Max, "max", fmt.Sprintf("the highest `rate` that is tried (default %dM)", c.Max/1_000_000), parseWholeRate)
	read(f, &c.Precision, "precision", fmt.Sprintf("how far apart, in `percent`, the rates may be that keep and do not keep the SLO (default %v%%)", 100*c.Precision), parsePrecision)
	f.DurationVar(&c.Confirm, "confirm", 0, fmt.Sprintf("how long a rate is measured at least before it is decided (default %v, or --duration if that is longer)", search.DefaultConfirm))
	f.DurationVar(&c.Pause, "unseen-pause", search.DefaultPause, "a pause that an answer must exclude even if none was seen; 0: only what was seen counts")
	defineAtMost(f, &c.AtMost)
	command.DefineDetails(f, &o.details)
	command.DefineDryRun(f, &o.dryRun)
	o.measureOptions.define(f)
}

// resolve returns what is searched for, and the plan whose cells are where each
// search begins.
func (o *searchOptions) resolve(s command.Streams) (cfg search.Config, p plan.Plan, err error) {
	cfg = o.cfg
	if cfg.Pause == 0 {
		cfg.Pause = -1 // none
	}
	if err := checkAtMost(cfg.AtMost); err != nil {
		return cfg, p, command.Usage(err)
	}
	if o.plan.Flags["rate"] = []string{fmt.Sprint(cfg.From)}; o.plan.File != "" {
		o.plan.Defaults = nil
	}
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
		if slo == (plan.SLO{Objective: slo.Objective}) { // of all targets and shapes
			cfg.Objectives = append(cfg.Objectives, slo.Objective)
		}
	}
	return cfg, p, command.Usage(errors.Join(cfg.Validate(), checkTimeout(p), checkNoBacklog(p), noFaults(p)))
}

// checkNoBacklog refuses a backlog, whose drain each probe would wait for.
func checkNoBacklog(p plan.Plan) error {
	for _, s := range p.Shapes {
		if s.UntilStore > 0 {
			return errors.New("a search and until-store cannot be combined: each probe would fill the store; leave out until-store, or use run")
		}
		if s.Backlog != (plan.Backlog{}) {
			return errors.New("a search and a backlog cannot be combined: each probe would drain one; leave out backlog, or use run")
		}
	}
	return nil
}

// checkTimeout refuses to give up on replies before an SLO's limit is over.
func checkTimeout(p plan.Plan) error {
	for _, slo := range p.SLOs {
		o := slo.Objective
		if _, sum, _ := plan.UserOf(o.Series); !sum && o.Metric == "" && o.Limit >= float64(p.Settings.Timeout) {
			return fmt.Errorf("--timeout %v is not above the limit of %v", p.Settings.Timeout, o)
		}
	}
	return nil
}

// defineAtMost defines the flag for the time that a command may take.
func defineAtMost(f *pflag.FlagSet, limit *time.Duration) {
	f.DurationVar(limit, "at-most", search.DefaultAtMost, "how long each search, or ab with --until, may take; the rest is reported as undecided")
}

func checkAtMost(limit time.Duration) error {
	if limit <= 0 {
		return fmt.Errorf("--at-most %v: want a time above 0, such as 30m", limit)
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

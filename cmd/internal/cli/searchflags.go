package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
	"github.com/brokerbench/brokerbench/report/document"
)

// searchOptions are what `search` was told.
type searchOptions struct {
	plan      planFlags
	targets   []string
	from, max string
	precision string
	confirm   time.Duration
	format    document.Format
	watch     watchFlags
	report    string
	command   []string
}

// define defines the flags. Those that it shares with run have the names they have
// there.
func (o *searchOptions) define(c *cobra.Command) {
	f, p := c.Flags(), &o.plan.overrides
	f.StringSliceVar(&p.SLO, "slo", nil, "what is to be kept, such as p99.9<5ms, loss<0.001% or rate>99%; several give a row each")
	f.StringVar(&o.from, "from", "1000", "the lowest rate, with which the search begins")
	f.StringVar(&o.max, "max", "1M", "the highest rate that is tried")
	f.StringVar(&o.precision, "precision", "5%", "how far apart the rates may be that keep and do not keep the SLO")
	f.StringVar(&p.Duration, "duration", "", "length of a probe's window, at least (default 5s)")
	f.DurationVar(&o.confirm, "confirm", search.DefaultConfirm, "length of the windows that confirm the result")
	f.StringSliceVar(&p.Size, "size", nil, "sizes of a message; each is searched for itself (default 1KiB)")
	f.StringSliceVar(&p.Connections, "connections", nil, "numbers of connections; each is searched for itself (default 1)")
	f.StringSliceVar(&p.InFlight, "in-flight", nil, "limits of messages in flight on one connection, or open (default open)")
	f.StringSliceVar(&p.Arrivals, "arrivals", nil, "constant, poisson, burst:N (default constant)")
	f.StringVar(&p.Warmup, "warmup", "", "warm-up before each probe, kept apart (default 1s)")
	f.StringVar(&p.Timeout, "timeout", "", "how long to wait for replies after the last message of a probe was due (default 5s)")
	f.StringVar(&p.Seed, "seed", "", "seed of drawn arrivals and message contents (default 1)")
	f.StringVar(&p.Senders, "senders", "", "threads that send; connections are split among them (default 1)")
	f.StringVar(&p.Spin, "spin", "", "how long a sender spins before a message is due, or auto (default auto)")
	f.StringVar(&p.Floor, "floor", "", "measure before each probe what the tool and the kernel cost alone: on, off (default on)")
	f.StringVar(&p.Name, "name", "", "name of the run, in the name of its folder (default search)")
	f.StringVar(&p.Out, "out", "", "folder of results (default ./brokerbench-results)")
	defineFormat(f, &o.format)
	o.watch.define(f)
	defineReport(f, &o.report)
}

// resolve returns what is searched for, and the plan whose cells are where each
// search begins.
func (o *searchOptions) resolve(s Streams) (cfg search.Config, p plan.Plan, err error) {
	if cfg, err = o.limits(); err != nil {
		return cfg, p, usage(err)
	}
	o.plan.overrides.Rate = []string{fmt.Sprint(cfg.From)}
	o.plan.defaults = config.Overrides{Duration: search.DefaultWindow.String(), Warmup: "1s", Timeout: "5s", Name: "search"}
	if p, _, err = o.plan.plan(s, o.targets); err != nil {
		return cfg, p, err
	}
	p.Repeat = 1
	cfg.Window = p.Settings.Duration
	for _, slo := range p.SLOs {
		cfg.Objectives = append(cfg.Objectives, slo.Objective)
	}
	return cfg, p, usage(errors.Join(cfg.Validate(), checkTimeout(p)))
}

// limits reads the flags that only a search has.
func (o *searchOptions) limits() (cfg search.Config, err error) {
	var errs [3]error
	cfg.Confirm = o.confirm
	cfg.From, errs[0] = parsed("--from", o.from, config.ParseRate)
	cfg.Max, errs[1] = parsed("--max", o.max, config.ParseRate)
	cfg.Precision, errs[2] = parsed("--precision", o.precision, parsePrecision)
	return cfg, errors.Join(errs[:]...)
}

// checkTimeout wants replies to be awaited for longer than an SLO allows them to
// take.
func checkTimeout(p plan.Plan) error {
	for _, slo := range p.SLOs {
		if o := slo.Objective; o.Metric == "" && o.Limit >= float64(p.Settings.Timeout) {
			return fmt.Errorf("--timeout %v is not above the limit of %v", p.Settings.Timeout, o)
		}
	}
	return nil
}

// parsed reads the value of a flag.
func parsed[T any](flag, text string, parse func(string) (T, error)) (v T, err error) {
	if v, err = parse(text); err != nil {
		return v, fmt.Errorf("%s: %w", flag, err)
	}
	return v, nil
}

// parsePrecision reads a percentage as a part of 1.
func parsePrecision(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(v > 0) {
		return 0, fmt.Errorf("%q: want a percentage, such as 5%%", text)
	}
	return v / 100, nil
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
)

// planFlags are the flags that say what is measured: `run` and `plan` share them.
type planFlags struct {
	file      string
	overrides config.Overrides
	defaults  config.Overrides // of the command, below the environment
}

func (p *planFlags) define(f *pflag.FlagSet) {
	o := &p.overrides
	f.StringVarP(&p.file, "file", "f", "", "plan file (YAML); - is standard input")
	f.StringSliceVar(&o.Rate, "rate", nil, "messages per second over all connections, such as 3000,20k or 1k..64k*2 (default 3000)")
	f.StringSliceVar(&o.Size, "size", nil, "sizes of a message, such as 256B,1KiB or 256B..1MiB*4 (default 1KiB)")
	f.StringSliceVar(&o.Connections, "connections", nil, "numbers of connections, such as 1,25 or 1..256*4 (default 1)")
	f.StringSliceVar(&o.InFlight, "in-flight", nil, "limits of messages in flight on one connection, or open (default open)")
	f.StringSliceVar(&o.Arrivals, "arrivals", nil, "constant, poisson, burst:N (default constant)")
	f.StringVar(&o.Duration, "duration", "", "length of the measured window (default 30s)")
	f.StringVar(&o.Warmup, "warmup", "", "warm-up before it, kept apart (default 5s)")
	f.StringVar(&o.Timeout, "timeout", "", "how long to wait for replies after the last message was due (default 30s)")
	f.StringVar(&o.Repeat, "repeat", "", "how often to measure each cell, the targets in random order (default 1)")
	f.StringVar(&o.Seed, "seed", "", "seed of drawn arrivals, message contents and the order of repeats (default 1)")
	f.StringVar(&o.Senders, "senders", "", "threads that send; connections are split among them (default 1)")
	f.StringVar(&o.Spin, "spin", "", "how long a sender spins before a message is due, or auto (default auto)")
	f.StringVar(&o.Percentiles, "percentiles", "", "what the result is for; one that cannot be relied on makes it suspect (default 50,99,99.9)")
	f.StringVar(&o.Floor, "floor", "", "measure first what the tool and the kernel cost alone: on, off (default on)")
	f.StringSliceVar(&o.SLO, "slo", nil, "what the results should satisfy, such as p99.9<5ms,loss<0.001%,rate>99%; else exit code 3")
	f.StringVar(&o.Name, "name", "", "name of the run, in the name of its folder")
}

// plan resolves flags, environment, file and defaults, in this order. It may have
// no targets if own is true: then the caller measures a broker of its own, and
// the defaults are those of the quick start.
func (p *planFlags) plan(s Streams, targets []string) (resolved plan.Plan, own bool, err error) {
	env, err := config.FromEnv(s.Environ, "BROKERBENCH_REQUIRE_BROKERS", "BROKERBENCH_REQUIRE_BROWSER", "BROKERBENCH_BROWSER")
	if err != nil {
		return plan.Plan{}, false, usage(err)
	}
	o := p.overrides
	o.Targets = slices.Clone(targets)
	o = o.Over(env).Over(p.defaults)
	own = len(o.Targets) == 0 && p.file == ""
	if own {
		o = o.Over(quickstart())
	}
	p.overrides.Out = o.Out
	resolved, err = config.Load(p.file, o, config.Options{
		Lookup: lookup(s.Environ), Stdin: s.In, Redact: brokers.Redact, CheckTarget: checkTarget, NameTarget: nameTarget,
	})
	if err == nil && !own && len(resolved.Targets) == 0 {
		err = fmt.Errorf("%s names no target: add targets, or name them on the command line", p.file)
	}
	return resolved, own, usage(err)
}

// quickstart is what is measured when nothing is said.
func quickstart() config.Overrides {
	return config.Overrides{
		Rate: []string{"1000"}, Size: []string{"1KiB"}, Duration: "10s", Warmup: "2s", Name: "quickstart",
	}
}

// lookup finds variables in an environment as os.Environ returns it.
func lookup(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range environ {
			if variable, value, _ := strings.Cut(entry, "="); variable == name {
				return value, true
			}
		}
		return "", false
	}
}

// checkTarget returns what is wrong with a target's URL and options.
func checkTarget(url string) error {
	_, err := brokers.Open(url, "check")
	return err
}

// nameTarget returns the name of a target that has none of its own.
func nameTarget(url string) string {
	b, err := brokers.ForURL(url)
	if err != nil {
		return "target"
	}
	return b.Name
}

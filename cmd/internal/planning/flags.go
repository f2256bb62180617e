// Package planning holds the flags that say what to measure, and the commands that check a plan, a
// machine, a broker or the instrument itself without running a plan.
package planning

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

// PlanFlags are the flags that say what to measure: of run, plan, doctor and search.
type PlanFlags struct {
	File     string
	named    []string // --target, which go before the arguments
	Flags    config.Values
	Defaults config.Values // of the command, in place of the table's

	Out        string          // the folder of results; plan sets it
	Durability string          // asked for beside a plan file; set by plan
	Targets    testbed.Targets // those of the plan; plan sets it
}

// Define defines the flag of a plan file, and one for each key but some.
func (p *PlanFlags) Define(f *pflag.FlagSet, but ...string) {
	f.StringVarP(&p.File, "file", "f", "", "plan file (YAML), which may be an argument, too; - is standard input")
	p.DefineKeys(f, but...)
}

// DefineKeys defines a flag for each key of plan/config but some, with the
// command's own defaults.
func (p *PlanFlags) DefineKeys(f *pflag.FlagSet, but ...string) {
	p.Flags = make(config.Values)
	for _, k := range config.Keys() {
		if slices.Contains(but, k.Name) {
			continue
		}
		if k.Name == "targets" { // are arguments, too
			f.StringArrayVar(&p.named, "target", nil, "what to measure, like an argument: a `URL`, or NAME=URL")
			continue
		}
		if own := p.Defaults[k.Name]; len(own) > 0 {
			k.Default = own[0]
		}
		f.VarP(keyFlag{k, p.Flags}, k.Name, k.Short, k.Usage())
	}
}

// A keyFlag is the pflag.Value of a key: it keeps texts for plan/config to read.
type keyFlag struct {
	key    config.Key
	values config.Values
}

// String implements pflag.Value.
func (k keyFlag) String() string { return strings.Join(k.values[k.key.Name], ",") }

// Set implements pflag.Value. Of a key that takes one value the last counts; an
// empty one counts as not given.
func (k keyFlag) Set(text string) error {
	name := k.key.Name
	if !k.key.List {
		delete(k.values, name)
	}
	if text != "" {
		k.values[name] = append(k.values[name], text)
	}
	return nil
}

// Type implements pflag.Value. Help and shell completion know stringSlice.
func (k keyFlag) Type() string {
	if k.key.List {
		return "stringSlice"
	}
	return "string"
}

// checkOut refuses the name of a file, which --output takes.
func (p *PlanFlags) checkOut() error {
	for _, out := range p.Flags["out"] {
		if info, err := os.Stat(out); command.NamesFormat(out) && (err != nil || !info.IsDir()) {
			return fmt.Errorf("--out %s: it is the folder of results; did you mean --output %[1]s? (a folder of that name is %[1]s/)", out)
		}
	}
	return nil
}

// Plan resolves flags, environment, file and defaults, in this order. It may have
// no targets if own is true: then the caller measures its own broker, and the defaults
// are those of the quick start.
func (p *PlanFlags) Plan(s command.Streams, args []string) (resolved plan.Plan, own bool, err error) {
	env, err := s.Environment()
	if err = errors.Join(err, command.Usage(p.checkOut())); err != nil {
		return plan.Plan{}, false, err
	}
	o := config.Overrides{Flags: maps.Clone(p.Flags), Env: env, Defaults: p.Defaults}
	if args = slices.Concat(p.named, args); len(args) > 0 {
		o.Flags["targets"] = args
	}
	own = len(o.Given("targets")) == 0 && p.File == ""
	if own {
		o.Defaults = config.QuickStart()
	}
	p.Out, p.Durability, p.Targets = o.Text("out"), o.Text("durability"), testbed.NewTargets(s.Brokers)
	resolved, err = config.Load(p.File, o, config.Options{
		Lookup: command.Lookup(s.Environ), Stdin: s.In, Redact: brokers.Redact, ParseTarget: p.Targets.Parse, Usual: func(text string) string { return usual(s, text) },
	})
	if err == nil && !own && len(resolved.Targets) == 0 {
		err = fmt.Errorf("%s names no target: add targets, or name them on the command line", p.File)
	}
	if err == nil && !own {
		err = p.Targets.Check(resolved)
	}
	return resolved, own, command.Usage(err)
}

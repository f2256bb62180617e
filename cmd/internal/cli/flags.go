package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
)

// planFlags are the flags that say what to measure: of run, plan, doctor and search.
type planFlags struct {
	file     string
	named    []string // --target, which go before the arguments
	flags    config.Values
	defaults config.Values // of the command, in place of the table's

	out        string  // the folder of results; plan sets it
	durability string  // what was asked for beside a plan file; plan sets it
	targets    targets // those of the plan; plan sets it
}

// define defines the flag of a plan file, and one for each key but some.
func (p *planFlags) define(f *pflag.FlagSet, but ...string) {
	f.StringVarP(&p.file, "file", "f", "", "plan file (YAML), which may be an argument, too; - is standard input")
	p.defineKeys(f, nil, but...)
}

// defineKeys defines a flag for each key of plan/config but some, with the
// command's own defaults, and its own help where there is one.
func (p *planFlags) defineKeys(f *pflag.FlagSet, help map[string]string, but ...string) {
	p.flags = make(config.Values)
	for _, k := range config.Keys() {
		if slices.Contains(but, k.Name) {
			continue
		}
		if k.Name == "targets" { // are arguments, too
			f.StringArrayVar(&p.named, "target", nil, "what to measure, like an argument: a `URL`, or NAME=URL")
			continue
		}
		if text, ok := help[k.Name]; ok {
			k.Help = text
		}
		if own := p.defaults[k.Name]; len(own) > 0 {
			k.Default = own[0]
		}
		f.VarP(keyFlag{k, p.flags}, k.Name, k.Short, k.Usage())
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

// plan resolves flags, environment, file and defaults, in this order. It may have
// no targets if own is true: then the caller measures a broker of its own, and
// the defaults are those of the quick start.
func (p *planFlags) plan(s Streams, args []string) (resolved plan.Plan, own bool, err error) {
	env, err := s.environment()
	if err != nil {
		return plan.Plan{}, false, err
	}
	o := config.Overrides{Flags: maps.Clone(p.flags), Env: env, Defaults: p.defaults}
	if args = slices.Concat(p.named, args); len(args) > 0 {
		o.Flags["targets"] = args
	}
	own = len(o.Given("targets")) == 0 && p.file == ""
	if own {
		o.Defaults = config.QuickStart()
	}
	p.out, p.durability, p.targets = o.Text("out"), o.Text("durability"), newTargets(s.Brokers)
	resolved, err = config.Load(p.file, o, config.Options{
		Lookup: lookup(s.Environ), Stdin: s.In, Redact: brokers.Redact, ParseTarget: p.targets.parse, Usual: s.usual,
	})
	if err == nil && !own && len(resolved.Targets) == 0 {
		err = fmt.Errorf("%s names no target: add targets, or name them on the command line", p.file)
	}
	if err == nil && !own {
		err = p.targets.checkEcho(resolved)
	}
	return resolved, own, usage(err)
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

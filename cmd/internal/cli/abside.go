package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
)

// A side is one --side of `ab`: the arguments of `run`.
type side struct {
	text string
	plan planning.PlanFlags
	p    plan.Plan
}

// sharedBySides returns the keys that both sides share.
func sharedBySides() []string { return []string{"out", "name", "repeat", "slo"} }

// newSide reads the text of a --run. Its own flags go over those of the command.
func newSide(s command.Streams, text string, common *planning.PlanFlags) (*side, error) {
	list, err := shellWords(text)
	if err != nil {
		return nil, fmt.Errorf("--side %q: %w", text, err)
	}
	sd := &side{text: text}
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	sd.plan.Define(f, sharedBySides()...)
	if err := f.Parse(list); err != nil {
		return nil, fmt.Errorf("--side %q: %w (it takes targets, and the flags of run that say what to measure but %s)",
			text, err, strings.Join(sharedBySides(), ", "))
	}
	args, err := sd.plan.Take(s, f.Args())
	if err != nil {
		return nil, fmt.Errorf("--side %q: %w", text, err)
	}
	own := sd.plan.Flags
	sd.plan.Flags = maps.Clone(common.Flags)
	maps.Copy(sd.plan.Flags, own)
	if sd.plan.File == "" {
		sd.plan.Defaults = common.Defaults
	}
	p, quickstart, err := sd.plan.Plan(s, args)
	switch {
	case err != nil:
		return nil, err
	case quickstart:
		return nil, fmt.Errorf("--side %q names no target: want what run takes, such as 'nats://127.0.0.1:4222 --connections 4'", text)
	}
	if err := noFaults(p); err != nil {
		return nil, err
	}
	p.Repeat, p.SLOs = 1, nil
	sd.p = p
	return sd, nil
}

// noFaults returns an error for a plan that breaks something, of a command that measures over
// and over again.
func noFaults(p plan.Plan) error {
	if len(p.Settings.Faults) == 0 {
		return nil
	}
	return fmt.Errorf("fault %v: only run and fault break what they measure", p.Settings.Faults[0])
}

// pairUp checks that the sides have as many cells: the i-th of both are a pair.
func pairUp(a, b *side) error {
	if m, n := len(a.p.Cells()), len(b.p.Cells()); m != n {
		return fmt.Errorf("--side %q has %s, and --side %q has %d: the first of one is paired with the first of the other, and so on",
			a.text, words.Plural(m, "cell"), b.text, n)
	}
	return nil
}

// sideDefaults are in place of those of run: ab measures each cell many times. A floor
// would take as long as the cell, and is in no ratio.
func sideDefaults() config.Values {
	return config.Values{"duration": {"10s"}, "warmup": {"2s"}, "floor": {"off"}, "audit": {"off"}}
}

// shellWords splits a text as a shell does: at spaces, except in quotes and after a
// backslash. It supports nothing else of a shell.
func shellWords(text string) (words []string, err error) {
	var word []byte // nil between words
	quote := byte(0)
	escaped := false
	for _, c := range []byte(text) {
		switch {
		case escaped:
			word, escaped = append(word, c), false
		case c == '\\' && quote != '\'':
			word, escaped = append([]byte{}, word...), true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			word, quote = append([]byte{}, word...), c
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			if word != nil {
				words = append(words, string(word))
			}
			word = nil
		default:
			word = append(word, c)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed, or nothing is behind the last backslash")
	}
	if word != nil {
		words = append(words, string(word))
	}
	return words, nil
}

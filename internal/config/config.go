package config

import (
	"cmp"
	_ "embed" // for the template
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// maxFile is the size of the largest plan file, in bytes.
const maxFile = 1 << 20

//go:embed template.yaml
var template string

// Template returns a commented plan file to begin with. It is valid.
func Template() string { return template }

// Options supply everything that reading a plan needs besides its text. The zero value reads
// the process's environment and stdin, and checks no target.
type Options struct {
	// Lookup finds the variables in target URLs; nil means os.LookupEnv.
	Lookup func(name string) (value string, ok bool)
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
	// ParseTarget checks a target's URL, options included, and returns the name of
	// its broker, which a target without a name is given. nil takes every URL, and
	// names its target after the scheme. An error becomes a mistake with a position.
	ParseTarget func(url string) (broker string, err error)
	// Usual returns the URL behind a target that is not a URL, such as the name of a broker,
	// or the text itself; nil returns the text.
	Usual func(text string) string
	// Redact hides secrets in messages, beyond the user info of URLs, which is always
	// hidden; nil hides nothing more.
	Redact func(text string) string
}

// Load reads the plan file at path, with o over it. The path "-" is stdin; ""
// means no file: only defaults and o. A mistake in the file or in o is one of
// [Mistakes].
//
// A plan without targets is not a mistake here, because the caller may have one of
// its own. Everything else in the plan is valid.
func Load(path string, o Overrides, opts Options) (plan.Plan, error) {
	data, err := read(path, cmp.Or[io.Reader](opts.Stdin, os.Stdin))
	if err != nil {
		return plan.Plan{}, fmt.Errorf("reading the plan: %w", err)
	}
	return Parse(displayName(path), data, o, opts)
}

// Parse is Load for the text of a plan file, which mistakes call name.
func Parse(name string, data []byte, o Overrides, opts Options) (plan.Plan, error) {
	opts = opts.orDefaults()
	r := reader{mistakes: mistakes{redact: opts.Redact}, opts: opts, over: o}
	r.readFile(newSource(name, data))
	p := r.plan(planName(name))
	return p, r.err()
}

func (o Options) orDefaults() Options {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if o.ParseTarget == nil {
		o.ParseTarget = func(url string) (string, error) {
			scheme, _, _ := strings.Cut(url, ":")
			return strings.ToLower(scheme), nil
		}
	}
	if o.Usual == nil {
		o.Usual = func(text string) string { return text }
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return o
}

// read returns nothing for no file.
func read(path string, stdin io.Reader) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		stdin = f
	}
	data, err := io.ReadAll(io.LimitReader(stdin, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: above %d bytes, too large for a plan", displayName(path), maxFile)
	}
	return data, err
}

func displayName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}

// planName returns the name of a plan whose file gives none: that of the file.
func planName(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if file == "stdin" || !goodName.MatchString(base) {
		return "run"
	}
	return base
}

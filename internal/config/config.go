// Package config reads what a user asks for: a plan file (YAML), the environment
// (BROKERBENCH_*) and flags, into a validated [plan.Plan]. A flag goes over the
// environment, the environment over the file, the file over a default. [Keys] is
// the table of all keys and their defaults.
//
// A plan file has the settings of the whole plan (name, duration, repeat and so
// on), targets, and the load that every target gets: a matrix (the full product of
// its lists), or cells, or both. Whatever they leave out has its default. Sizes:
// KB = 1000 and KiB = 1024 bytes. Rates: 20k = 20000, 6/m = 0.1/s, 90/h. YAML's
// anchors and aliases work, merge keys (<<) do not.
//
// A flag or variable for an axis (rate, size, connections, in-flight, arrivals)
// replaces that axis of the matrix, and of every cell: a cell becomes as many cells
// as there are values, and cells that become the same are measured once. Targets
// given by arguments or the environment replace those of the file; one without a
// colon is the name of one of the file's targets.
//
// Variables are expanded only in the URLs of a file's targets: ${NAME} must be
// set, ${NAME:-default} need not be. Write a literal ${ as %24%7B.
//
// Reading is strict. It reports every mistake at once, with file, line, column, the
// line itself and a suggestion: see [Mistakes]. Mistakes never repeat the passwords
// of URLs.
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
	r := reader{mistakes: mistakes{src: newSource(name, data), redact: opts.Redact}, opts: opts, over: o, draft: defaults()}
	r.draft.Name, r.settings = planName(name), r.draft.settings()
	readTargets := r.readFile()
	r.overrideSettings()
	readTargets()
	p := r.plan()
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

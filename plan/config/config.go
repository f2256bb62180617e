package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// maxFile is the size of the largest plan file, in bytes.
const maxFile = 1 << 20

// Options are what reading a plan needs to know of the world. The zero value
// reads the process's environment and stdin, and checks no target.
type Options struct {
	// Lookup finds the variables in target URLs; nil means os.LookupEnv.
	Lookup func(name string) (value string, ok bool)
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
	// CheckTarget tells what is wrong with a target's URL, its options
	// included; nil checks nothing. What it returns becomes a mistake with a
	// position.
	CheckTarget func(url string) error
	// NameTarget names a target that has no name of its own, after its broker;
	// nil, or what is no name, means the scheme.
	NameTarget func(url string) string
	// Redact hides secrets in what is printed, beyond the user info of URLs,
	// which is always hidden; nil hides nothing more.
	Redact func(text string) string
}

// Load reads the plan file at path, with o over it. The path "-" is stdin; ""
// means no file: only defaults and o. A mistake in the file or in o is one of
// [Mistakes].
//
// A plan without targets is not a mistake here, because a caller may have one of
// its own; all else in the plan is valid.
func Load(path string, o Overrides, opts Options) (plan.Plan, error) {
	opts = opts.orDefaults()
	m := &mistakes{redact: opts.Redact}
	f := &File{name: "run", opts: opts}
	if path != "" {
		data, err := read(path, opts.Stdin)
		if err != nil {
			return plan.Plan{}, fmt.Errorf("config: %w", err)
		}
		f = parse(displayName(path), data, opts, m)
	}
	p := f.plan(o, m)
	return p, m.err()
}

// Parse reads a plan file that is at hand; name stands for it in mistakes. The
// error, if any, is of type [Mistakes].
func Parse(name string, data []byte, opts Options) (*File, error) {
	opts = opts.orDefaults()
	m := &mistakes{redact: opts.Redact}
	f := parse(name, data, opts, m)
	return f, m.err()
}

func (o Options) orDefaults() Options {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.CheckTarget == nil {
		o.CheckTarget = func(string) error { return nil }
	}
	if o.NameTarget == nil {
		o.NameTarget = func(string) string { return "" }
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return o
}

func read(path string, stdin io.Reader) ([]byte, error) {
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

// planName returns the name of a plan whose file does not give one: the file's
// own.
func planName(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if file == "stdin" || checkName(base) != nil {
		return "run"
	}
	return base
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
)

// namePattern takes letters and digits of every script; plan.FileName makes names of
// files of them.
const namePattern = `^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$`

var (
	goodName = regexp.MustCompile(namePattern)
	notName  = regexp.MustCompile(`[^\p{L}\p{M}\p{N}._-]+`)
	notFirst = regexp.MustCompile(`^[^\p{L}\p{N}]+`)
)

// parseName reads the name of a plan or target.
func parseName(text string) (string, error) {
	if goodName.MatchString(text) {
		return text, nil
	}
	err := errors.New("want letters, digits, - _ and . only, a letter or digit first, at most 64")
	if better := cleanName(redact(text)); better != "" {
		err = fmt.Errorf("%w (such as %q)", err, better)
	}
	return "", err
}

// cleanName returns a good name like text; "" if nothing is left of it.
func cleanName(text string) string {
	name := notFirst.ReplaceAllString(notName.ReplaceAllString(text, "-"), "")
	runes := []rune(strings.TrimRight(name, "-._"))
	return string(runes[:min(len(runes), 64)])
}

// nameTargets reports names that are used twice, also if only their file names are equal, and
// names the targets without a name after their broker: nats, nats-2.
func (m *mistakes) nameTargets(targets []target) {
	taken := make(map[string]bool)
	for _, t := range targets {
		file := plan.FileName(t.Name)
		if taken[file] {
			m.add(t.nameAt, "two targets are named %s", t.Name)
		}
		taken[file] = t.Name != ""
	}
	for i, t := range targets {
		if t.Name != "" || t.URL == "" {
			continue
		}
		base := cmp.Or(cleanName(t.broker), "target")
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		targets[i].Name, taken[name] = name, true
	}
}

// overrideTargets returns the targets that replace the file's. They are given as
// URLs, as name=URL, or as names of the file's targets.
func (r *reader) overrideTargets(given []string, at place) (targets []target) {
	for _, text := range given {
		t := target{nameAt: at}
		name, url, named := cutName(text)
		switch {
		case named:
			t.Name = r.checkName(at, name)
			r.parseURL(&t, at, url)
		case !strings.Contains(r.opts.Usual(text), ":") && len(r.targets) > 0, r.has(text):
			t = r.named(text, at)
		default:
			r.parseURL(&t, at, text)
		}
		if t.URL != "" {
			targets = append(targets, t)
		}
	}
	r.nameTargets(targets)
	return targets
}

// cutName cuts name=URL. A text without = before the first colon has no name: it is a URL
// with options.
func cutName(text string) (name, url string, ok bool) {
	name, url, ok = strings.Cut(text, "=")
	if !ok || strings.ContainsAny(name, ":?") {
		return "", text, false
	}
	return name, url, true
}

// has reports whether the file has a target of that name, which goes before a broker's.
func (r *reader) has(name string) bool {
	return slices.ContainsFunc(r.targets, func(t target) bool { return t.Name == name })
}

// named returns the file's target of that name.
func (r *reader) named(name string, at place) target {
	var names []string
	for _, t := range r.targets {
		if t.Name == name {
			t.nameAt = at
			return t
		}
		names = append(names, t.Name)
	}
	r.add(at, "target %s is none of the plan's%s", quote(name), suggest.Hint(name, names))
	return target{}
}

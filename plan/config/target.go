package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// A target is a target that was read.
type target struct {
	plan.Target        // the name is "" until nameTargets
	broker      string // its name
	nameAt      place  // of the name, or where the target was given
	slos        []plan.Objective
}

func (r reader) readTargets(n node) {
	r.list(n, "targets", func(item node) { r.targets = append(r.targets, r.readTarget(item)) })
	r.nameTargets(r.targets)
	r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return t.URL == "" })
}

// readTarget returns a target without a URL if it has mistakes. Its name still
// counts as taken.
func (r reader) readTarget(n node) (t target) {
	if !r.want(n, "a target", isValue, isMapping) {
		return t
	}
	if n.kind() == isValue {
		return r.readURL(n, nil)
	}
	var url, options *node
	r.mapping(n, "a target", map[string]func(key, value node){
		"name":    func(_, v node) { t.Name, t.nameAt = r.readName(v), v.at() },
		"url":     func(_, v node) { url = &v },
		"options": func(_, v node) { options = &v },
		"slo":     func(_, v node) { t.slos = r.readSLOs(v) },
	})
	if url == nil {
		r.add(n.at(), "a target without a url")
		return t
	}
	withURL := r.readURL(*url, options)
	withURL.Name, withURL.nameAt, withURL.slos = t.Name, t.nameAt, t.slos
	return withURL
}

// readName returns "" for a bad name: nameTargets then finds another.
func (r reader) readName(n node) string {
	if !r.want(n, "name", isValue) {
		return ""
	}
	name, err := parseName(n.text())
	r.check(n.at(), Key{Name: "name"}.wrong(n.text(), err))
	return name
}

// readURL reads the URL of a target, with variables and options.
func (r reader) readURL(n node, options *node) (t target) {
	if !r.want(n, "url", isValue) {
		return t
	}
	before := len(r.found)
	url := r.expand(n)
	if options != nil {
		url = r.addOptions(url, *options)
	}
	if len(r.found) > before {
		return t
	}
	return r.parseURL(r.opts, n.at(), url)
}

// addOptions adds options to the query of a URL.
func (r reader) addOptions(raw string, n node) string {
	if !r.want(n, "options", isMapping) {
		return raw
	}
	_, query, _ := strings.Cut(raw, "?")
	given, _ := url.ParseQuery(query) // ParseTarget reports what is wrong with it
	for _, p := range n.pairs() {
		name := p.key.text()
		switch {
		case !r.want(p.key, "an option's name", isValue) || !r.want(p.value, "option "+quote(name), isValue):
		case given.Has(name):
			r.add(p.key.at(), "option %s is there already", quote(name))
		default:
			given.Set(name, p.value.text())
			raw = withOption(raw, name, p.value.text())
		}
	}
	return raw
}

func withOption(raw, name, value string) string {
	separator := "&"
	if head, query, ok := strings.Cut(raw, "?"); !ok || query == "" {
		raw, separator = head, "?"
	}
	return raw + separator + url.QueryEscape(name) + "=" + url.QueryEscape(value)
}

// parseURL returns a target without a URL if no broker takes the URL.
func (m *mistakes) parseURL(opts Options, at place, url string) target {
	t := target{nameAt: at}
	if scheme, _, ok := strings.Cut(url, ":"); !ok || scheme == "" {
		m.add(at, "not a URL: it needs a scheme, as in nats://127.0.0.1:4222")
		return t
	}
	broker, err := opts.ParseTarget(url)
	if m.check(at, err) {
		t.URL, t.broker = url, broker
	}
	return t
}

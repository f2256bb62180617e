package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// A target is a target with the places that its parts are from.
type target struct {
	plan.Target       // the name is "" until nameTargets
	at          place // of the URL
	nameAt      place // of the name, if it has one of its own
	slos        []plan.Objective
}

func (r reader) readTargets(n node) {
	if !r.want(n, "targets", isList) {
		return
	}
	for _, item := range n.items() {
		r.targets = append(r.targets, r.readTarget(item))
	}
	if len(n.items()) == 0 {
		r.add(n.at(), "targets is empty: give one, or leave it out")
	}
	r.nameTargets(r.opts, r.targets)
	r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return t.URL == "" })
}

// readTarget returns a target without a URL if it has mistakes: its name still
// counts.
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

// readName returns "" for what is no name: nameTargets then finds one.
func (r reader) readName(n node) string {
	if !r.want(n, "name", isValue) || !r.check(n.at(), checkName(n.text())) {
		return ""
	}
	return n.text()
}

// readURL reads the URL of a target, with variables and options.
func (r reader) readURL(n node, options *node) (t target) {
	if !r.want(n, "url", isValue) {
		return t
	}
	t.at = n.at()
	before := len(r.list)
	url := r.expand(n)
	if options != nil {
		url = r.addOptions(url, *options)
	}
	if len(r.list) == before && r.checkURL(r.opts, t.at, url) {
		t.URL = url
	}
	return t
}

// addOptions adds options to the query of a URL.
func (r reader) addOptions(raw string, n node) string {
	if !r.want(n, "options", isMapping) {
		return raw
	}
	_, query, _ := strings.Cut(raw, "?")
	given, _ := url.ParseQuery(query) // what is wrong with it is for CheckTarget to say
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

// checkURL reports a URL that no broker takes.
func (m *mistakes) checkURL(opts Options, at place, url string) bool {
	if scheme, _, ok := strings.Cut(url, ":"); !ok || scheme == "" {
		m.add(at, "not a URL: it needs a scheme, as in nats://127.0.0.1:4222")
		return false
	}
	return m.check(at, opts.CheckTarget(url))
}

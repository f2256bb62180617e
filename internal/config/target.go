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

func (r *reader) readTargets(n node) {
	r.list(n, "targets", func(item node) { r.targets = append(r.targets, r.readTarget(item)) })
	r.nameTargets(r.targets)
	r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return t.URL == "" })
}

// readTarget returns a target without a URL if it has mistakes. Its name still
// counts as taken.
func (r *reader) readTarget(n node) (t target) {
	t.nameAt = n.at()
	var url, options *node
	switch {
	case !r.want(n, "a target", isValue, isMapping):
		return t
	case n.kind() == isValue:
		url = &n
	default:
		r.mapping(n, "a target", map[string]func(key, value node){
			"name":    func(_, v node) { t.Name, t.nameAt = r.readName(v), v.at() },
			"url":     func(_, v node) { url = &v },
			"options": func(_, v node) { options = &v },
			"slo":     func(_, v node) { t.slos = r.readSLOs(v) },
			"nodes":   func(_, v node) { t.System = r.readNodes(v) },
		})
	}
	if url == nil {
		r.add(n.at(), "a target without a url")
	} else if t.System != nil && strings.HasPrefix(url.Value, "local:") {
		r.add(n.at(), "nodes of %s: brokerbench makes those of local: targets itself", quote(url.Value))
	} else if text, ok := r.readURL(*url, options); ok {
		r.parseURL(&t, url.at(), text)
	}
	return t
}

// readName returns "" for a bad name: nameTargets then finds another.
func (r *reader) readName(n node) string {
	if !r.want(n, "name", isValue) {
		return ""
	}
	return r.checkName(n.at(), n.Value)
}

// checkName returns "" for a bad name.
func (m *mistakes) checkName(at place, text string) string {
	name, err := parseName(text)
	m.check(at, Key{Name: "name"}.wrong(text, err))
	return name
}

// readURL reads the URL of a target, with variables and options.
func (r *reader) readURL(n node, options *node) (url string, ok bool) {
	if !r.want(n, "url", isValue) {
		return "", false
	}
	before := len(r.found)
	url = r.expand(n)
	if options != nil {
		url = r.addOptions(url, *options)
	}
	return url, len(r.found) == before
}

// addOptions adds options to the query of a URL.
func (r *reader) addOptions(raw string, n node) string {
	if !r.want(n, "options", isMapping) {
		return raw
	}
	_, query, _ := strings.Cut(raw, "?")
	given, _ := url.ParseQuery(query) // ParseTarget reports what is wrong with it
	for pair := range slices.Chunk(n.items(), 2) {
		key, value, name := pair[0], pair[1], pair[0].Value
		switch {
		case !r.want(key, "an option's name", isValue) || !r.want(value, "option "+quote(name), isValue):
		case given.Has(name):
			r.add(key.at(), "option %s is there already", quote(name))
		default:
			given.Set(name, value.Value)
			raw = withOption(raw, name, value.Value)
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

// parseURL sets the target's URL and broker, if a broker takes the URL with the durability
// that the plan asks for.
func (r *reader) parseURL(t *target, at place, url string) {
	url = r.opts.Usual(url)
	if scheme, _, ok := strings.Cut(url, ":"); !ok || scheme == "" {
		r.add(at, "target %s: not a URL: it needs a scheme, as in nats://127.0.0.1:4222, or is the name of a broker, such as nats", quote(url))
		return
	}
	url = WithDurability(url, r.durability())
	if broker, err := r.opts.ParseTarget(url); r.check(at, err) {
		t.URL, t.broker = url, broker
	}
}

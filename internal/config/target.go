package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/plan"
)

// A target is a target that was read.
type target struct {
	plan.Target        // the name is "" until nameTargets
	broker      string // its name
	nameAt      place  // of the name, or where the target was given
	slos        []plan.Objective
}

func (r *reader) readTargets(n *yaml.Node) {
	r.list(n, "targets", func(item *yaml.Node) { r.targets = append(r.targets, r.readTarget(item)) })
	r.nameTargets(r.targets)
	r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return t.URL == "" })
}

// readTarget returns a target without a URL if it has mistakes. Its name still
// counts as taken.
func (r *reader) readTarget(n *yaml.Node) (t target) {
	t.nameAt = placeOf(n)
	var url, options *yaml.Node
	switch {
	case !r.want(n, "a target", isValue, isMapping):
		return t
	case kindOf(n) == isValue:
		url = n
	default:
		r.mapping(n, "a target", fields{
			"name":    func(_, v *yaml.Node) { t.Name, t.nameAt = r.readName(v), placeOf(v) },
			"url":     func(_, v *yaml.Node) { url = v },
			"options": func(_, v *yaml.Node) { options = v },
			"slo":     func(_, v *yaml.Node) { t.slos = r.readSLOs(v) },
			"nodes":   func(_, v *yaml.Node) { t.System = r.readNodes(v) },
		})
	}
	if url == nil {
		r.add(placeOf(n), "a target without a url")
	} else if t.System != nil && strings.HasPrefix(url.Value, "local:") {
		r.add(placeOf(n), "nodes of %s: brokerbench makes those of local: targets itself", quote(url.Value))
	} else if text, ok := r.readURL(url, options); ok {
		r.parseURL(&t, placeOf(url), text)
	}
	return t
}

// readName returns "" for a bad name: nameTargets then finds another.
func (r *reader) readName(n *yaml.Node) string {
	if !r.want(n, "name", isValue) {
		return ""
	}
	return r.checkName(placeOf(n), n.Value)
}

// checkName returns "" for a bad name.
func (m *mistakes) checkName(at place, text string) string {
	name, err := parseName(text)
	m.check(at, Key{Name: "name"}.wrong(text, err))
	return name
}

// readURL reads the URL of a target, with variables and options.
func (r *reader) readURL(n *yaml.Node, options *yaml.Node) (url string, ok bool) {
	if !r.want(n, "url", isValue) {
		return "", false
	}
	before := len(r.found)
	url = r.expand(n)
	if options != nil {
		url = r.addOptions(url, options)
	}
	return url, len(r.found) == before
}

// addOptions adds options to the query of a URL.
func (r *reader) addOptions(raw string, n *yaml.Node) string {
	if !r.want(n, "options", isMapping) {
		return raw
	}
	_, query, _ := strings.Cut(raw, "?")
	given, _ := url.ParseQuery(query) // ParseTarget reports what is wrong with it
	for pair := range slices.Chunk(items(n), 2) {
		key, value, name := pair[0], pair[1], pair[0].Value
		switch {
		case !r.want(key, "an option's name", isValue) || !r.want(value, "option "+quote(name), isValue):
		case given.Has(name):
			r.add(placeOf(key), "option %s is there already", quote(name))
		default:
			given.Set(name, value.Value)
			raw = withOption(raw, name, value.Value)
		}
	}
	return raw
}

// withOption adds an option to a URL; to a command as its last word, see [brokers/target.Parse].
func withOption(raw, name, value string) string {
	separator := "&"
	if strings.HasPrefix(strings.ToLower(raw), "exec:") {
		if separator = " ?"; strings.Contains(raw, " ?") {
			separator = "&"
		}
	} else if head, query, ok := strings.Cut(raw, "?"); !ok || query == "" {
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
	url = WithDurability(url, r.draft.durability)
	if broker, err := r.opts.ParseTarget(url); r.check(at, err) {
		t.URL, t.broker = url, broker
	}
}

// durabilityOption is the option of a target for the level that an acknowledged message
// survives. Every broker with levels takes it.
const durabilityOption = "durability"

// WithDurability adds a level of durability to the URL of a target, unless it has one. "" is
// no level.
func WithDurability(target, durability string) string {
	_, query, _ := strings.Cut(target, "?")
	if given, _ := url.ParseQuery(query); durability == "" || given.Has(durabilityOption) {
		return target
	}
	return withOption(target, durabilityOption, durability)
}

// variable finds whatever begins like ${NAME}; goodVariable is ${NAME} or
// ${NAME:-default}.
var (
	variable     = regexp.MustCompile(`\$\{[^}]*\}?`)
	goodVariable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}$`)
)

// expand returns the text with its variables replaced. A variable that is empty
// counts as not set, as in a shell.
func (r *reader) expand(n *yaml.Node) string {
	return variable.ReplaceAllStringFunc(n.Value, func(text string) string {
		parts := goodVariable.FindStringSubmatch(text)
		if parts == nil {
			r.add(placeOf(n), "variable %s: want ${NAME} or ${NAME:-default}", quote(text))
			return ""
		}
		value, _ := r.opts.Lookup(parts[1])
		if def, hasDefault := strings.CutPrefix(parts[2], ":-"); value == "" && hasDefault {
			return def
		}
		if value == "" {
			r.add(placeOf(n), "variable %s is not set; ${%s:-default} would give it a default", parts[1], parts[1])
		}
		return value
	})
}

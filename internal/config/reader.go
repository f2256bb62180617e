package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
)

// A reader reads a plan file, and what goes over it, into a plan. It leaves out
// whatever has mistakes.
type reader struct {
	mistakes
	opts     Options
	over     Overrides
	draft    *draft // of the settings
	settings []Key  // bound to it
	targets  []target
	grids    []grid           // of the matrix, then of the cells
	common   []plan.Objective // for every cell
	faults   []fault

	durationAt place // in the file
}

// decode returns the root of the only document in the source; nil if there is no document, or a
// mistake in it.
func (r *reader) decode() *yaml.Node {
	decoder := yaml.NewDecoder(strings.NewReader(r.src.data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		r.syntax(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.add(placeOf(&second), "a second document: a plan file is one")
	} else {
		r.syntax(err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil
	}
	return items(&document)[0]
}

// syntax reports an error of the YAML library. The end of the file is none.
func (r *reader) syntax(err error) {
	var e *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
	case !errors.As(err, &e):
		r.add(place{label: r.src.name}, "%v", err)
	case e.ContextMsg != "":
		r.add(r.syntaxAt(e), "YAML: %s: %s", e.ContextMsg, e.Message)
	default:
		r.add(r.syntaxAt(e), "YAML: %s", e.Message)
	}
}

// syntaxAt returns where an error is. For something that is never closed it returns
// where that begins, and for a character that YAML does not allow it counts lines and columns.
func (r *reader) syntaxAt(e *yaml.LoadError) place {
	at, start := e.Mark, e.ContextMark
	switch {
	case at.Line == 0:
		before := lineBreak.Split(r.src.data[:min(at.Index, len(r.src.data))], -1)
		return place{line: len(before), column: utf8.RuneCountInString(before[len(before)-1]) + 1}
	case start.Line > 0 && strings.TrimSpace(r.src.line(at.Line)) == "":
		at = start
	}
	return place{line: at.Line, column: at.Column}
}

// The kinds of nodes.
const (
	isNothing = "nothing"
	isValue   = "a single value"
	isList    = "a list"
	isMapping = "a mapping"
)

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return isList
	case n.Kind == yaml.MappingNode:
		return isMapping
	case n.ShortTag() == "!!null":
		return isNothing
	}
	return isValue
}

// items returns the items of a list, or the keys of a mapping, each followed by its
// value. It follows aliases. An alias may be inside the node that it stands for, so
// nodes are walked only as deep as a plan file goes.
func items(n *yaml.Node) (items []*yaml.Node) {
	for _, child := range n.Content {
		if child.Kind == yaml.AliasNode && child.Alias != nil {
			child = child.Alias
		}
		items = append(items, child)
	}
	return items
}

// fields are the functions that read the values of a mapping, by their keys.
type fields map[string]func(key, value *yaml.Node)

// fields returns the fields of a table of keys, for whose values it calls read.
func (r *reader) fields(table []Key, read func(k Key, v *yaml.Node)) fields {
	all := make(fields)
	for _, k := range table {
		all[k.Name] = func(_, v *yaml.Node) {
			if r.want(v, k.Name, isValue) {
				read(k, v)
			}
		}
	}
	return all
}

// readFile reads the root of a plan file, but its targets: because the key durability is an option
// of each, the function that is returned reads them.
func (r *reader) readFile() (readTargets func()) {
	root, readTargets := r.decode(), func() {}
	if root == nil || kindOf(root) == isNothing {
		return readTargets
	}
	all := r.fields(r.settings, func(k Key, v *yaml.Node) {
		if r.check(placeOf(v), r.draft.try(k, v.Value)); k.Name == "duration" {
			r.durationAt = placeOf(v)
		}
	})
	var matrix, cells []grid
	readCell := func(item *yaml.Node) { cells = append(cells, r.readGrid(item, "a cell", false)...) }
	all["targets"] = func(_, v *yaml.Node) { readTargets = func() { r.readTargets(v) } }
	all["matrix"] = func(_, v *yaml.Node) { matrix = r.readGrid(v, "matrix", true) }
	all["cells"] = func(_, v *yaml.Node) { r.list(v, "cells", readCell) }
	all["slo"] = func(_, v *yaml.Node) { r.common = r.readSLOs(v) }
	all["user"] = func(_, v *yaml.Node) { r.draft.Settings.Users = r.users(r.oneOrMore(userKey(), placeOf(v), v)) }
	all["faults"] = func(_, v *yaml.Node) { r.list(v, "faults", r.readFault) }
	r.mapping(root, "plan", all)
	r.grids = append(matrix, cells...)
	r.checkGrids()
	return readTargets
}

// readGrid reads a matrix, whose axes have lists of values or ranges, or a cell, whose axes have a
// single value. It returns no grid if n is not a mapping.
func (r *reader) readGrid(n *yaml.Node, what string, matrix bool) []grid {
	g := grid{at: placeOf(n), axes: make(map[string][]value)}
	topology := make(fields)
	keys := fields{
		"slo": func(_, v *yaml.Node) { g.slos = r.readSLOs(v) },
		topologyKey: func(_, v *yaml.Node) {
			if v.Value != own {
				r.mapping(v, topologyKey+" (or "+own+")", topology)
			}
		},
	}
	for _, a := range new(draft).axes() {
		to := keys
		if inTopology(a.Name) {
			to = topology
		}
		to[a.Name] = func(key, v *yaml.Node) {
			var values []value
			if matrix {
				values = r.sweeps(a, r.oneOrMore(a, placeOf(key), v))
			} else if r.want(v, a.Name+" of a cell", a.kinds()...) {
				values = []value{{textOf(v), placeOf(v)}}
			}
			values = r.traces(a, values)
			r.checkValues(a.Name, values)
			g.axes[a.Name] = values
		}
	}
	if !r.mapping(n, what, keys) {
		return nil
	}
	return []grid{g}
}

// readSLOs reads one objective or a list of them.
func (r *reader) readSLOs(n *yaml.Node) []plan.Objective {
	return r.objectives(r.oneOrMore(sloKey(), placeOf(n), n))
}

// users parses values. It reports those that are wrong, and leaves them out.
func (m *mistakes) users(values []value) (list []plan.User) {
	for _, v := range values {
		u, err := plan.ParseUser(v.text)
		if m.check(v.at, err) {
			list = append(list, u)
		}
	}
	return list
}

// objectives parses values. It reports those that are wrong, and leaves them out.
func (m *mistakes) objectives(values []value) (list []plan.Objective) {
	for _, v := range values {
		o, err := plan.ParseObjective(v.text)
		if err == nil && o.Metric != "rate" && strings.HasPrefix(o.Operator, ">") {
			o.Operator = strings.Replace(o.Operator, ">", "<", 1)
			err = fmt.Errorf("SLO %q: it has an upper limit: want %v", v.text, o)
		}
		if m.check(v.at, err) {
			list = append(list, o)
		}
	}
	return list
}

// mapping calls the function of each key. It reports unknown keys, and keys that
// are there twice.
func (r *reader) mapping(n *yaml.Node, what string, keys fields) (ok bool) {
	if !r.want(n, what, isMapping) {
		return false
	}
	lines := make(map[string]int)
	for pair := range slices.Chunk(items(n), 2) {
		key, name := pair[0], pair[0].Value
		read, known := keys[name]
		switch line, twice := lines[name]; {
		case kindOf(key) != isValue:
			r.add(placeOf(key), "a key is %s: want one of %v", kindOf(key), sortedNames(keys))
		case !known:
			r.add(placeOf(key), "unknown key %s%s", quote(name), r.hintKey(name, sortedNames(keys)))
		case twice:
			r.add(placeOf(key), "%s is there already, in line %d", name, line)
		default:
			lines[name] = key.Line
			read(key, pair[1])
		}
	}
	return true
}

// hintKey suggests a key that is known here, or says where a key of another place
// belongs.
func (r *reader) hintKey(name string, here []string) string {
	if hint := suggest.Hint(name, here); hint != "" {
		return hint
	}
	best, ok := suggest.For(name, names(new(draft).axes()))
	switch {
	case ok && inTopology(best):
		return fmt.Sprintf(" (%s belongs in %s: {%s: 1})", best, topologyKey, best)
	case ok:
		return " (" + best + " belongs in the matrix or a cell)"
	}
	if best, ok := suggest.For(name, append(names(r.settings), "targets", "matrix", "cells", "faults")); ok {
		return " (" + best + " belongs at the top of the file)"
	}
	return ""
}

func names(keys []Key) (names []string) {
	for _, k := range keys {
		names = append(names, k.Name)
	}
	return names
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// list reads each item of a list, which must have some.
func (r *reader) list(n *yaml.Node, what string, read func(item *yaml.Node)) {
	if !r.want(n, what, isList) {
		return
	}
	for _, item := range items(n) {
		read(item)
	}
	if len(n.Content) == 0 {
		r.add(placeOf(n), "%s is empty: give one, or leave it out", what)
	}
}

// oneOrMore reads a single value, or a list of them. An empty list is reported at
// the place given.
func (r *reader) oneOrMore(k Key, at place, n *yaml.Node) (values []value) {
	if !r.want(n, k.Name, append(k.kinds(), isList)...) {
		return nil
	}
	all := []*yaml.Node{n}
	if kindOf(n) == isList {
		all = items(n)
	}
	for _, item := range all {
		if r.want(item, k.Name, k.kinds()...) {
			values = append(values, value{textOf(item), placeOf(item)})
		}
	}
	if len(all) == 0 {
		instead := ""
		if k.Default != "" {
			instead = " for " + k.Default
		}
		r.add(at, "%s is empty: give a value, or leave it out%s", k.Name, instead)
	}
	return values
}

// kinds returns the kinds of nodes that are a value of the key.
func (k Key) kinds() []string {
	if k.mapping {
		return []string{isValue, isMapping}
	}
	return []string{isValue}
}

// textOf returns the text of a value, also of one that is a mapping.
func textOf(n *yaml.Node) string {
	if kindOf(n) == isMapping {
		return weights(n)
	}
	return n.Value
}

// knownTags are those that YAML gives by itself.
var knownTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!!timestamp", "!!merge", ""}

// want reports a node that is none of kinds.
func (r *reader) want(n *yaml.Node, what string, kinds ...string) bool {
	switch {
	case !slices.Contains(knownTags, n.ShortTag()):
		r.add(placeOf(n), "%s: tag %s is unknown", what, quote(n.ShortTag()))
	case slices.Contains(kinds, kindOf(n)):
		return true
	case kindOf(n) == isNothing:
		r.add(placeOf(n), "%s has no value", what)
	default:
		r.add(placeOf(n), "%s is %s: want %s", what, kindOf(n), strings.Join(kinds, " or "))
	}
	return false
}

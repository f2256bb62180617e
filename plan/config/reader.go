package config

import (
	"maps"
	"slices"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

// A reader turns the nodes of a plan file into a file.
type reader struct {
	*file
	*mistakes
}

// mapping calls the function of each key. It reports unknown keys, and keys that
// are there twice.
func (r reader) mapping(n node, what string, keys map[string]func(key, value node)) (ok bool) {
	if !r.want(n, what, isMapping) {
		return false
	}
	lines := make(map[string]int)
	for _, p := range n.pairs() {
		name := p.key.text()
		read, known := keys[name]
		switch line, twice := lines[name]; {
		case p.key.kind() != isValue:
			r.add(p.key.at(), "a key is %s: want one of %v", p.key.kind(), sortedNames(keys))
		case !known:
			r.add(p.key.at(), "unknown key %s%s", quote(name), hintKey(name, sortedNames(keys)))
		case twice:
			r.add(p.key.at(), "%s is there already, in line %d", name, line)
		default:
			lines[name] = p.key.at().line
			read(p.key, p.value)
		}
	}
	return true
}

// hintKey suggests a key that is known here, or says where a key of another place
// belongs.
func hintKey(name string, here []string) string {
	if hint := suggest.Hint(name, here); hint != "" {
		return hint
	}
	var cell, top []string
	for _, a := range axes() {
		cell = append(cell, a.Name)
	}
	for _, s := range settings() {
		top = append(top, s.Name)
	}
	if best, ok := suggest.For(name, cell); ok {
		return " (" + best + " belongs in the matrix or a cell)"
	}
	if best, ok := suggest.For(name, append(top, "targets", "matrix", "cells")); ok {
		return " (" + best + " belongs at the top of the file)"
	}
	return ""
}

// list reads each item of a list, which must have some.
func (r reader) list(n node, what string, read func(item node)) {
	if !r.want(n, what, isList) {
		return
	}
	for _, item := range n.items() {
		read(item)
	}
	if len(n.items()) == 0 {
		r.add(n.at(), "%s is empty: give one, or leave it out", what)
	}
}

// oneOrMore reads a single value, or a list of them. An empty list is reported at
// the place of its key.
func (r reader) oneOrMore(k Key, at place, n node) (values []value) {
	if !r.want(n, k.Name, isValue, isList) {
		return nil
	}
	items := []node{n}
	if n.kind() == isList {
		items = n.items()
	}
	for _, item := range items {
		if r.want(item, k.Name, isValue) {
			values = append(values, value{item.text(), item.at()})
		}
	}
	if len(items) == 0 {
		instead := ""
		if k.Default != "" {
			instead = " for " + k.Default
		}
		r.add(at, "%s is empty: give a value, or leave it out%s", k.Name, instead)
	}
	return values
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// want reports a node that is none of kinds.
func (r reader) want(n node, what string, kinds ...string) bool {
	switch {
	case n.tag() != "":
		r.add(n.at(), "%s: tag %s is unknown", what, quote(n.tag()))
		return false
	case slices.Contains(kinds, n.kind()):
		return true
	case n.kind() == isNothing:
		r.add(n.at(), "%s has no value", what)
	case len(kinds) > 1:
		r.add(n.at(), "%s is %s: want %s or %s", what, n.kind(), kinds[0], kinds[1])
	default:
		r.add(n.at(), "%s is %s: want %s", what, n.kind(), kinds[0])
	}
	return false
}

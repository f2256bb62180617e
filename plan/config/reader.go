package config

import (
	"maps"
	"slices"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

// A reader turns the nodes of a plan file into a File.
type reader struct {
	*File
	*mistakes
}

// mapping calls the function of each key. It reports keys that have none, and
// those that are there twice.
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

// hintKey suggests one of the keys that are known here, or says where a key that
// is not belongs.
func hintKey(name string, here []string) string {
	if hint := suggest.Hint(name, here); hint != "" {
		return hint
	}
	var cell, top []string
	for _, a := range axes() {
		cell = append(cell, a.name)
	}
	for _, s := range settings() {
		top = append(top, s.name)
	}
	if best, ok := suggest.For(name, cell); ok {
		return " (" + best + " belongs into matrix or a cell)"
	}
	if best, ok := suggest.For(name, append(top, "targets", "matrix", "cells")); ok {
		return " (" + best + " belongs to the top of the file)"
	}
	return ""
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// want reports a node of another kind than one of kinds.
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

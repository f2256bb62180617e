package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
)

// A reader reads a plan file, and what goes over it, into a plan. It leaves out
// whatever has mistakes.
type reader struct {
	mistakes
	opts     Options
	over     Overrides
	settings map[string]value
	targets  []target
	grids    []grid           // of the matrix, then of the cells
	common   []plan.Objective // for every cell
	faults   []fault
}

// readFile reads the root of a plan file. The targets are read last, because the key
// durability is an option of each.
func (r *reader) readFile(src *source) {
	root, ok := r.decode(src)
	if !ok || root.kind() == isNothing {
		return
	}
	var matrix, cells []grid
	readTargets := func() {}
	readCell := func(item node) { cells = append(cells, r.readGrid(item, "a cell", r.readCellAxis)...) }
	keys := map[string]func(key, value node){
		"targets": func(_, v node) { readTargets = func() { r.readTargets(v) } },
		"matrix":  func(_, v node) { matrix = r.readGrid(v, "matrix", r.readMatrixAxis) },
		"cells":   func(_, v node) { r.list(v, "cells", readCell) },
		"slo":     func(_, v node) { r.common = r.readSLOs(v) },
		"faults":  func(_, v node) { r.list(v, "faults", r.readFault) },
	}
	r.settings, _ = r.readKeys(root, "plan", settings(), func(k Key, v node) bool { return r.checkKey(k, v.value()) }, keys)
	readTargets()
	r.grids = append(matrix, cells...)
	r.checkGrids()
}

// readGrid reads a matrix or a cell, which differ in how they read an axis. It
// returns no grid if n is not a mapping.
func (r *reader) readGrid(n node, what string, readAxis func(a Key, key, n node) []value) []grid {
	g := grid{at: n.at(), axes: make(map[string][]value)}
	keys := map[string]func(key, value node){"slo": func(_, v node) { g.slos = r.readSLOs(v) }}
	for _, a := range axes() {
		keys[a.Name] = func(key, v node) {
			g.axes[a.Name] = readAxis(a, key, v)
			r.checkValues(a, g.axes[a.Name])
		}
	}
	if !r.mapping(n, what, keys) {
		return nil
	}
	return []grid{g}
}

// readMatrixAxis reads a list of values or ranges, or a single one.
func (r *reader) readMatrixAxis(a Key, key, n node) []value {
	return r.sweeps(a, r.oneOrMore(a, key.at(), n))
}

// readCellAxis reads a single value.
func (r *reader) readCellAxis(a Key, _, n node) []value {
	if !r.want(n, a.Name+" of a cell", isValue) {
		return nil
	}
	return []value{n.value()}
}

// readKeys reads a mapping of the keys in a table, each with a single value for which it calls
// read, and of other keys. It returns the values that read took.
func (r *reader) readKeys(n node, what string, table []Key, read func(k Key, v node) bool, others map[string]func(key, value node)) (given map[string]value, ok bool) {
	given = make(map[string]value)
	for _, k := range table {
		if others[k.Name] != nil {
			continue
		}
		others[k.Name] = func(_, v node) {
			if r.want(v, k.Name, isValue) && read(k, v) {
				given[k.Name] = v.value()
			}
		}
	}
	return given, r.mapping(n, what, others)
}

// mapping calls the function of each key. It reports unknown keys, and keys that
// are there twice.
func (r *reader) mapping(n node, what string, keys map[string]func(key, value node)) (ok bool) {
	if !r.want(n, what, isMapping) {
		return false
	}
	lines := make(map[string]int)
	for pair := range slices.Chunk(n.items(), 2) {
		key, name := pair[0], pair[0].Value
		read, known := keys[name]
		switch line, twice := lines[name]; {
		case key.kind() != isValue:
			r.add(key.at(), "a key is %s: want one of %v", key.kind(), sortedNames(keys))
		case !known:
			r.add(key.at(), "unknown key %s%s", quote(name), hintKey(name, sortedNames(keys)))
		case twice:
			r.add(key.at(), "%s is there already, in line %d", name, line)
		default:
			lines[name] = key.Line
			read(key, pair[1])
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
	if best, ok := suggest.For(name, names(axes())); ok {
		return " (" + best + " belongs in the matrix or a cell)"
	}
	if best, ok := suggest.For(name, append(names(settings()), "targets", "matrix", "cells", "faults")); ok {
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
func (r *reader) list(n node, what string, read func(item node)) {
	if !r.want(n, what, isList) {
		return
	}
	for _, item := range n.items() {
		read(item)
	}
	if len(n.Content) == 0 {
		r.add(n.at(), "%s is empty: give one, or leave it out", what)
	}
}

// oneOrMore reads a single value, or a list of them. An empty list is reported at
// the place given.
func (r *reader) oneOrMore(k Key, at place, n node) (values []value) {
	if !r.want(n, k.Name, isValue, isList) {
		return nil
	}
	items := []node{n}
	if n.kind() == isList {
		items = n.items()
	}
	for _, item := range items {
		if r.want(item, k.Name, isValue) {
			values = append(values, item.value())
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

// want reports a node that is none of kinds.
func (r *reader) want(n node, what string, kinds ...string) bool {
	switch {
	case n.tag() != "":
		r.add(n.at(), "%s: tag %s is unknown", what, quote(n.tag()))
	case slices.Contains(kinds, n.kind()):
		return true
	case n.kind() == isNothing:
		r.add(n.at(), "%s has no value", what)
	default:
		r.add(n.at(), "%s is %s: want %s", what, n.kind(), strings.Join(kinds, " or "))
	}
	return false
}

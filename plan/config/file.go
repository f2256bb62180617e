package config

import "github.com/brokerbench/brokerbench/plan"

// A file is a plan file that was read and checked.
type file struct {
	name     string // of the plan, if neither the file nor an override gives one
	opts     Options
	settings map[string]value
	targets  []target
	grids    []grid           // of the matrix, then of the cells
	common   []plan.Objective // for every cell
}

// parse never returns nil. It leaves out whatever has mistakes.
func parse(name string, data []byte, opts Options, m *mistakes) *file {
	r := reader{&file{name: planName(name), opts: opts, settings: make(map[string]value)}, m}
	root, ok := decode(newSource(name, data), m)
	if !ok || root.kind() == isNothing {
		return r.file
	}
	var matrix, cells []grid
	readCell := func(item node) { cells = append(cells, r.readGrid(item, "a cell", r.readCellAxis)...) }
	keys := map[string]func(key, value node){
		"targets": func(_, v node) { r.readTargets(v) },
		"matrix":  func(_, v node) { matrix = r.readGrid(v, "matrix", r.readMatrixAxis) },
		"cells":   func(_, v node) { r.list(v, "cells", readCell) },
		"slo":     func(_, v node) { r.common = r.readSLOs(v) },
	}
	for _, s := range settings() {
		keys[s.Name] = func(_, v node) { r.readSetting(s, v) }
	}
	r.mapping(root, "plan", keys)
	r.grids = append(matrix, cells...)
	m.checkGrids(r.grids)
	return r.file
}

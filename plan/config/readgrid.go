package config

func (r reader) readSetting(s setting, n node) {
	if r.want(n, s.name, isValue) && r.check(n.at(), s.check(n.text())) {
		r.settings[s.name] = value{n.text(), n.at()}
	}
}

func (r reader) readMatrix(n node) []grid {
	g := grid{at: n.at(), axes: make(map[string][]value)}
	keys := map[string]func(key, value node){"slo": func(_, v node) { g.slos = r.readSLOs(v) }}
	for _, a := range axes() {
		keys[a.name] = func(key, v node) { g.axes[a.name] = r.readAxis(a, key, v) }
	}
	if !r.mapping(n, "matrix", keys) {
		return nil
	}
	return []grid{g}
}

// readAxis reads a list of values, or a single one.
func (r reader) readAxis(a axis, key, n node) (values []value) {
	if !r.want(n, a.name, isValue, isList) {
		return nil
	}
	items := []node{n}
	if n.kind() == isList {
		items = n.items()
	}
	for _, item := range items {
		if r.want(item, a.name, isValue) {
			values = append(values, value{item.text(), item.at()})
		}
	}
	if len(items) == 0 {
		r.add(key.at(), "%s is empty: give a value, or leave it out for %s", a.name, a.def)
	}
	values = r.sweeps(a, values)
	r.checkValues(a, values)
	return values
}

func (r reader) readCells(n node) (cells []grid) {
	if !r.want(n, "cells", isList) {
		return nil
	}
	for _, item := range n.items() {
		cells = append(cells, r.readCell(item)...)
	}
	if len(n.items()) == 0 {
		r.add(n.at(), "cells is empty: give one, or leave it out")
	}
	return cells
}

func (r reader) readCell(n node) []grid {
	g := grid{at: n.at(), axes: make(map[string][]value)}
	keys := map[string]func(key, value node){"slo": func(_, v node) { g.slos = r.readSLOs(v) }}
	for _, a := range axes() {
		keys[a.name] = func(_, v node) {
			g.axes[a.name] = nil
			if r.want(v, a.name+" of a cell", isValue) {
				g.axes[a.name] = []value{{v.text(), v.at()}}
				r.checkValues(a, g.axes[a.name])
			}
		}
	}
	if !r.mapping(n, "a cell", keys) {
		return nil
	}
	return []grid{g}
}

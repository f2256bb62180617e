package config

func (r reader) readSetting(s setting, n node) {
	if r.want(n, s.Name, isValue) && r.check(n.at(), checkSetting(s, n.text())) {
		r.settings[s.Name] = value{n.text(), n.at()}
	}
}

// readGrid reads a matrix or a cell, which differ in how they read an axis. It
// returns no grid if n is not a mapping.
func (r reader) readGrid(n node, what string, readAxis func(a axis, key, n node) []value) []grid {
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
func (r reader) readMatrixAxis(a axis, key, n node) []value {
	return r.sweeps(a, r.oneOrMore(a.Key, key.at(), n))
}

// readCellAxis reads a single value.
func (r reader) readCellAxis(a axis, _, n node) []value {
	if !r.want(n, a.Name+" of a cell", isValue) {
		return nil
	}
	return []value{{n.text(), n.at()}}
}

package palette

import "slices"

// Targets says which hue each target has: the first target the first hue, and so
// on; the thirteenth has the first hue again.
//
// The order is that of the run's plan, whatever part of the run is drawn, and in
// whichever order. Of several runs, the targets of the first come first, and a
// target that several runs name has one colour. Lines without a plan, such as a
// file of another tool, follow in the order in which they are drawn.
type Targets struct{ names []string }

// NewTargets returns the order of these names; each counts where it comes first.
func NewTargets(names []string) *Targets {
	t := new(Targets)
	for _, name := range names {
		t.Hue(name)
	}
	return t
}

// Hue returns the hue of a target. A name that is new follows all others.
func (t *Targets) Hue(name string) int {
	i := slices.Index(t.names, name)
	if i < 0 {
		i, t.names = len(t.names), append(t.names, name)
	}
	return i % Hues
}

// A Chart gives the lines of one chart their styles.
type Chart struct {
	targets *Targets
	used    [Hues]int
}

// NewChart returns a chart without lines. The targets are in their order.
func NewChart(targets []string) *Chart { return &Chart{targets: NewTargets(targets)} }

// Line returns the style of the next line of a target.
func (c *Chart) Line(target string) Style { return Nth(c.next(target)) }

// Family returns the styles of the next so many lines of a target, which belong
// together.
func (c *Chart) Family(target string, size int) (styles []Style) {
	hue, n := c.next(target)
	for i := range size {
		styles = append(styles, Member(hue, n, i))
	}
	return styles
}

// next returns a target's hue, and how many lines or families have it already.
func (c *Chart) next(target string) (hue, before int) {
	hue = c.targets.Hue(target)
	c.used[hue]++
	return hue, c.used[hue] - 1
}

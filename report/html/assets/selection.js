// Which series are drawn. Their hue is their target's; lines of one hue differ by what
// else differs: each shape and run has a dash of its own, the same for every target.

const selection = {
  slots: new Map(), // of a series that is drawn, the number of its dash
  changed: [],
  list: () => [...selection.slots.keys()],
  style: (s) => nth(s.hue, selection.slots.get(s)),
  add(s) {
    if (selection.slots.size >= curveLimit) return;
    const drawn = selection.list(),
      alike = drawn.find((d) => lineKey(d) === lineKey(s));
    const taken = new Set(selection.slots.values());
    let slot = 0;
    while (taken.has(slot)) slot++;
    selection.slots.set(s, alike ? selection.slots.get(alike) : slot);
  },
  toggle(s, on) {
    if (on) selection.add(s);
    else selection.slots.delete(s);
    selection.announce();
  },
  set(list) {
    selection.slots.clear();
    list.forEach(selection.add);
    return selection.announce();
  },
  announce: () => Promise.all(selection.changed.map((f) => f())),
};

// lineKey is equal for series that may have one dash: the eighth target has the hue of
// the first, and must have another dash.
const lineKey = (s) => [s.run, s.shape, Math.floor(targets.indexOf(s.target) / hues)].join();
const targets = [...new Set([...report.runs.flatMap((r) => (r.plan.targets ?? []).map((t) => t.name)), ...series.map((s) => s.target)])];

// firstOf returns the series to draw of those in the table: all targets of the first
// shape, or the first few of a single target.
function firstOf(list) {
  const measured = list.filter((s) => s.measured);
  const same = measured.filter((s) => s.shape === measured[0].shape);
  return (same.length > 1 ? same : measured).slice(0, 8);
}

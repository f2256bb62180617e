// The percentile chart: curves over nines, with their confidence.

// percentileChart draws curves and floors. spec: title, name, hint, height, log,
// bands, curves, floors (of {label, short, rows}), controls.
function percentileChart(host, spec) {
  const { curves } = spec;
  const xs = gridOf(curves);
  const ys = curves.map((c) => xs.map((x) => valueAt(c, x)));
  const end = endOf(curves);
  const floors = spec.floors.map((f) => ({
    ...f,
    points: f.rows.filter((r) => r.value_ns > 0 && r.percentile < 100 && nines(r.percentile) <= end),
  }));
  const items = [
    ...curves.map((c, i) => ({ ...c, value: (at) => time(ys[i][at]) })),
    ...floors.map((f) => ({ label: f.label, value: (at) => time(floorAt(f, xs[at])), ink: "muted", dash: [1, 3] })),
  ];
  return chart(host, {
    title: spec.title,
    hint: spec.hint,
    name: spec.name,
    height: spec.height,
    controls: spec.controls,
    legend: items,
    step: 5,
    rows: () => percentileRows(curves),
    data: [xs, ...ys],
    ends: [
      ...curves.map((c) => ({ label: c.short ?? c.label, ink: c.ink, x: c.known, y: valueAt(c, c.known - (c.missing ? 1e-6 : 0)) })),
      ...floors.filter((f) => f.points.length).map((f) => ({ label: f.short, ink: "muted", x: nines(f.points.at(-1).percentile), y: f.points.at(-1).value_ns })),
    ].filter((e) => e.y > 0),
    where: (at) => percentileAt(xs[at]),
    options: {
      scales: { x: { time: false, range: [0, end] }, y: timeScale(spec.log, () => extentOf(ys, floors)) },
      axes: [
        axis({
          size: 34,
          splits: () => [0, nines(50), ...Array.from({ length: Math.floor(end) }, (_, i) => i + 1)],
          values: percentLabels,
          label: null,
        }),
        timeAxis(spec.log),
      ],
      series: [{}, ...curves.map(() => ({ paths: () => null, points: { show: false } }))],
      cursor: { y: false, points: { show: false } },
      hooks: {
        drawClear: [
          (u) =>
            spec.bands &&
            curves.length <= bandLimit &&
            clipped(u, () => curves.forEach((c, i) => drawBand(u, c, xs, ys[i]))),
        ],
        draw: [
          (u) =>
            clipped(u, () => {
              floors.forEach((f) => drawFloor(u, f));
              curves.forEach((c, i) => drawCurve(u, c, xs, ys[i]));
              curves.forEach((c) => drawPoints(u, c));
            }),
        ],
      },
    },
  });
}

const bandLimit = 8; // more of them hide each other

// percentileAt names the percentile at x nines, with the digits that it takes.
const percentileAt = (x) => "p" + +(100 * (1 - 10 ** -x)).toFixed(Math.floor(x + 1e-6));

const percentLabel = (x) => (x === 0 ? "0 %" : +(100 * (1 - 10 ** -x)).toFixed(Math.max(0, Math.round(x) - 2)) + " %");

// percentLabels leaves out labels that would overlap; 50 % is worth more than 0 %.
function percentLabels(u, [zero, half, ...rest]) {
  const near = u.valToPos(half, "x") - u.valToPos(zero, "x") < 40;
  return [near ? "" : percentLabel(zero), ...thin(u, [half, ...rest], 46).map((x) => (x == null ? "" : percentLabel(x)))];
}

// extentOf returns the smallest and largest value of curves and floors.
function extentOf(ys, floors) {
  const all = [...ys.flat(), ...floors.flatMap((f) => f.points.map((r) => r.value_ns))].filter((v) => v > 0);
  return [Math.min(...all), Math.max(...all)];
}

// floorAt returns a floor's value at the listed percentile that lies at x, or null.
function floorAt(floor, x) {
  const near = floor.points.find((r) => Math.abs(nines(r.percentile) - x) < 0.005);
  return near ? near.value_ns : null;
}

// percentileRows returns the listed percentiles of the curves, for CSV.
function percentileRows(curves) {
  const rows = [["curve", "percentile", "value_ns", "samples_above", "low_ns", "high_ns"]];
  for (const c of curves) {
    for (const p of c.points) {
      const row = (c.rows ?? []).find((r) => r.percentile === p.p);
      rows.push([c.label, p.p, p.value, p.above, row?.low_ns, row?.high_ns]);
    }
    rows.push([c.label, 100, c.missing ? null : c.max, 0, null, null]);
  }
  return rows;
}

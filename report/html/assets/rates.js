// Latency against the rate: a line for each target and shape that was measured at
// several rates.

// rateGroups returns the cells that differ in nothing but rate (and repeat).
function rateGroups() {
  const groups = new Map();
  for (const c of report.cells.filter((c) => c.measured)) {
    const key = JSON.stringify([c.run, c.target, c.size, c.connections, c.in_flight, c.arrivals]);
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  return [...groups.values()].filter((g) => distinct(g.map((c) => c.rate))).slice(0, curveLimit);
}

// groupLabel names a group among the others.
const groupLabel = ([c], groups) =>
  labelAmong(
    c,
    groups.map(([d]) => ({ ...d, rate: 0, repeat: 0 })),
  ) || c.target;

// atRate returns a percentile of the middle repeat at a rate, never a mean of
// repeats. An unknown one ranks above every value.
function atRate(group, rate, p) {
  const rank = (c) => c.response[p]?.ns ?? Infinity;
  const cells = group.filter((c) => c.rate === rate).sort((a, b) => rank(a) - rank(b));
  const quantile = cells[Math.floor(cells.length / 2)]?.response[p];
  return quantile?.ns == null ? null : quantile;
}

function rateChart(host) {
  const groups = rateGroups();
  if (!groups.length) return false;
  const chosen = { p: "99", log: true };
  let made;
  const draw = () => (made?.destroy(), (made = drawRates(host, groups, chosen)));
  host.append(
    h(
      "div",
      { class: "bar" },
      choice(
        "Percentile",
        [
          ["50", "p50"],
          ["90", "p90"],
          ["99", "p99"],
          ["99.9", "p99.9"],
          ["99.99", "p99.99"],
          ["100", "max"],
        ],
        chosen.p,
        (p) => ((chosen.p = p), draw()),
      ),
      choice(
        "Latency",
        [
          [true, "log"],
          [false, "linear"],
        ],
        chosen.log,
        (log) => ((chosen.log = log), draw()),
      ),
    ),
  );
  draw();
  return true;
}

function drawRates(host, groups, { p, log }) {
  const rates = [...new Set(groups.flat().map((c) => c.rate))].sort((a, b) => a - b);
  const lines = groups.map((g) => rates.map((r) => atRate(g, r, p)));
  const values = lines.map((line) => line.map((q) => q?.ns ?? null));
  const all = values.flat().filter((v) => v > 0);
  const name = percentile(+p),
    styles = stylesOf(groups);
  return chart(host, {
    title: `Response ${name} against the rate`,
    hint: "hollow: of limited use",
    name: "rate-" + name,
    height: 320,
    legend: groups.map((g, i) => ({ label: groupLabel(g, groups), value: (at) => time(values[i][at]), ...styles[i] })),
    rows: () => [
      ["rate_per_s", ...groups.map((g) => groupLabel(g, groups) + " ns")],
      ...rates.map((r, i) => [r, ...values.map((v) => v[i])]),
    ],
    data: [rates, ...values],
    options: {
      scales: {
        x: { time: false, distr: 3, range: [rates[0] / 1.15, rates[rates.length - 1] * 1.15] },
        y: timeScale(log, () => [Math.min(...all), Math.max(...all)]),
      },
      axes: [
        axis({
          size: 34,
          splits: () => rates,
          filter: (u, s) => thin(u, s),
          values: (u, s) => s.map((r) => (r == null ? "" : short(r) + "/s")),
        }),
        timeAxis(log),
      ],
      series: [
        {},
        ...groups.map((g, i) => ({
          stroke: () => ink(styles[i].ink),
          dash: styles[i].dash,
          width: 2,
          spanGaps: false,
          points: { show: false },
        })),
      ],
      cursor: { y: false },
      hooks: { draw: [(u) => clipped(u, () => lines.forEach((line, i) => drawRatePoints(u, line, rates, styles[i].ink)))] },
    },
  });
}

// stylesOf returns the style of each group: the first of a target has its hue.
function stylesOf(groups) {
  const used = [];
  return groups.map(([{ hue }]) => nth(hue, (used[hue] = (used[hue] ?? -1) + 1)));
}

// thin leaves out labels that would overlap.
function thin(u, splits) {
  let last = -Infinity;
  return splits.map((v) => {
    const x = u.valToPos(v, "x");
    if (x - last < 56) return null;
    last = x;
    return v;
  });
}

function drawRatePoints(u, line, rates, name) {
  const { ctx } = u;
  line.forEach((quantile, i) => {
    if (!quantile) return;
    ctx.beginPath();
    ctx.arc(u.valToPos(rates[i], "x", true), u.valToPos(quantile.ns, "y", true), 3.5 * devicePixelRatio, 0, 7);
    ctx.strokeStyle = ink(name);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.fillStyle = quantile.trusted ? ink(name) : ink("bg");
    (ctx.fill(), ctx.stroke());
  });
}

// Latency against the rate: a line for each target and shape that was measured at
// several rates.

const rateState = { p: "99", log: true };

// rateGroups returns the series that differ in nothing but rate.
function rateGroups(list) {
  const groups = new Map();
  for (const s of list) {
    const key = JSON.stringify([s.run, s.target, s.size, s.connections, s.in_flight, s.arrivals]);
    groups.set(key, [...(groups.get(key) ?? []), s]);
  }
  return [...groups.values()].filter((g) => distinct(g.map((s) => s.rate))).slice(0, curveLimit);
}

// groupLabel names a group among the others.
const groupLabel = ([s], groups) =>
  labelAmong(
    s,
    groups.map(([other]) => ({ ...other, rate: 0 })),
  ) || s.target;

// rateChart draws the series that the table shows, and returns whether there are any at
// several rates.
function rateChart(host, list) {
  const groups = rateGroups(list);
  rateState.chart?.destroy();
  rateState.chart = null;
  host.replaceChildren();
  if (!groups.length) return false;
  const redraw = (key) => (value) => ((rateState[key] = value), rateChart(host, list));
  const names = ["50", "90", "99", "99.9", "99.99", "100"].map((p) => [p, percentile(+p)]);
  host.append(
    h(
      "div",
      { class: "bar" },
      choice("Percentile", names, rateState.p, redraw("p")),
      choice("Latency", latencies, rateState.log, redraw("log")),
    ),
  );
  rateState.chart = drawRates(host, groups, rateState);
  return true;
}

// ratePoint is a percentile of a group at a rate: its value, null if it is unknown, and
// the lowest and highest repeat.
function ratePoint(group, rate, p) {
  const s = group.find((each) => each.rate === rate),
    q = s?.response[p];
  if (q?.ns == null) return null;
  const each = s.cells.map((c) => c.response[p]?.ns ?? q.ns);
  return { ns: q.ns, trusted: q.trusted, invalid: s.verdict === "invalid", low: Math.min(...each), high: Math.max(...each) };
}

function drawRates(host, groups, { p, log }) {
  const rates = [...new Set(groups.flat().map((s) => s.rate))].sort((a, b) => a - b);
  const lines = groups.map((g) => rates.map((r) => ratePoint(g, r, p)));
  const values = lines.map((line) => line.map((q) => q?.ns ?? null));
  const all = lines.flat().flatMap((q) => (q ? [q.low, q.high] : [])).filter((v) => v > 0);
  const name = percentile(+p),
    drawSpread = groups.length > rateBands ? drawRateBars : drawRateBand,
    styles = stylesOf(groups),
    labels = groups.map((g) => groupLabel(g, groups));
  return chart(host, {
    title: `Response ${name} against the rate`,
    hint: "hollow: of limited use" + (lines.flat().some((q) => q?.invalid) ? " · cross: invalid" : "") + (repeated ? ` · line: mean of the repeats, as in the table; ${groups.length > rateBands ? "bar" : "band"}: from the lowest to the highest repeat` : ""),
    name: "rate-" + name,
    height: 320,
    legend: groups.map((g, i) => ({ label: labels[i], value: (at) => time(values[i][at]), ...styles[i] })),
    ends: labels.flatMap((label, i) => {
      const last = values[i].findLastIndex((v) => v != null);
      return last < 0 ? [] : [{ label, ink: styles[i].ink, x: rates[last], y: values[i][last] }];
    }),
    where: (at) => rate(rates[at]) + "/s",
    rows: () => [["rate_per_s", ...labels.map((l) => l + " ns")], ...rates.map((r, i) => [r, ...values.map((v) => v[i])])],
    data: [rates, ...values],
    options: {
      scales: {
        x: { time: false, distr: 3, range: [rates[0] / 1.08, rates[rates.length - 1] * 1.03] },
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
      hooks: {
        drawClear: [(u) => clipped(u, () => lines.forEach((line, i) => drawSpread(u, line, rates, styles[i].ink)))],
        draw: [(u) => clipped(u, () => lines.forEach((line, i) => drawRatePoints(u, line, rates, styles[i].ink)))],
      },
    },
  });
}

// stylesOf returns the style of each group: the first of a target has its hue.
function stylesOf(groups) {
  const used = [];
  return groups.map(([{ hue }]) => nth(hue, (used[hue] = (used[hue] ?? -1) + 1)));
}

// thin leaves out labels that are nearer to the one before than some pixels.
function thin(u, splits, least = 56) {
  let last = -Infinity;
  return splits.map((v) => {
    const x = u.valToPos(v, "x");
    if (x - last < least) return null;
    last = x;
    return v;
  });
}

const rateBands = 4; // more of them hide each other: then there are bars

// drawRateBars draws a thin bar from the lowest to the highest repeat.
function drawRateBars(u, line, rates, name) {
  const { ctx } = u;
  ctx.strokeStyle = ink(name);
  ctx.lineWidth = devicePixelRatio;
  line.forEach((q, i) => {
    if (!(q?.low < q?.high)) return;
    const x = u.valToPos(rates[i], "x", true);
    (ctx.beginPath(), ctx.moveTo(x, u.valToPos(q.low, "y", true)), ctx.lineTo(x, u.valToPos(q.high, "y", true)), ctx.stroke());
  });
}

// drawRateBand fills the space between the lowest and the highest repeat.
function drawRateBand(u, line, rates, name) {
  const known = line.map((q, i) => ({ ...q, rate: rates[i] })).filter((q) => q.low > 0);
  if (known.every((q) => q.low === q.high)) return;
  const at = (q, v) => u.ctx.lineTo(u.valToPos(q.rate, "x", true), u.valToPos(v, "y", true));
  u.ctx.beginPath();
  known.forEach((q) => at(q, q.low));
  known.reverse().forEach((q) => at(q, q.high));
  u.ctx.closePath();
  u.ctx.fillStyle = ink(name);
  u.ctx.globalAlpha = 0.14;
  u.ctx.fill();
  u.ctx.globalAlpha = 1;
}

function drawRatePoints(u, line, rates, name) {
  const { ctx } = u;
  line.forEach((quantile, i) => {
    if (!quantile) return;
    const x = u.valToPos(rates[i], "x", true),
      y = u.valToPos(quantile.ns, "y", true),
      r = 3.5 * devicePixelRatio;
    ctx.beginPath();
    if (quantile.invalid) (ctx.moveTo(x - r, y - r), ctx.lineTo(x + r, y + r), ctx.moveTo(x - r, y + r), ctx.lineTo(x + r, y - r));
    else ctx.arc(x, y, r, 0, 7);
    ctx.strokeStyle = ink(name);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.fillStyle = quantile.trusted ? ink(name) : ink("bg");
    (ctx.fill(), ctx.stroke());
  });
}

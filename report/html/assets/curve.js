// A curve is a percentile distribution over nines: x is −log10(1 − p), so that
// 90, 99, 99.9 % are equally far apart.

const nines = (p) => -Math.log10(1 - p / 100);
const grid = Array.from({ length: 301 }, (_, i) => i / 50); // six nines, in fiftieths

// newCurve makes a curve of values: {histogram, missing, max, rows, limited, parts}. Missing
// messages have no value and rank above all others; max is exact. rows are the listed
// percentiles with their confidence; a span has none. limited has the percentiles of limited
// use. parts are the repeats, if they are several: the same of each. style: label, short
// (at its end), ink, dash, width.
function newCurve({ histogram, missing, max, rows, limited, parts }, style) {
  const total = histogram.count + missing;
  return {
    histogram,
    missing,
    total,
    max,
    rows,
    limited,
    parts: parts?.map((p) => newCurve(p)),
    ...style,
    known: missing > 0 ? Math.log10(total / missing) : Math.log10(Math.max(total, 1)), // up to where there are values
    relied: Math.log10(Math.max(total / minAbove, 1)), // up to where enough messages rank above
    points: listed(histogram, total, max),
  };
}

// listed returns the points to mark: the percentiles that results list.
function listed(histogram, total, max) {
  if (!histogram.count) return [];
  return [50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999]
    .map((p) => ({ p, x: nines(p), ...histogram.quantile(p, total, max) }))
    .filter(({ value, above }) => value != null && above > 0);
}

// valueAt returns the curve's value at x nines, null where it has none.
function valueAt(curve, x) {
  if (!curve.histogram.count || x > curve.known + 1e-9) return null;
  if (!curve.missing && x >= curve.known - 1e-9) return curve.max;
  const rank = Math.max(Math.ceil(curve.total * (1 - 10 ** -x) - 1e-6), 1);
  return rank > curve.histogram.count ? null : curve.histogram.at(rank, curve.max);
}

// spreadAt returns the lowest and the highest repeat at x, null where fewer than two have
// a value. One in which missing messages rank there is above every value.
function spreadAt(curve, x) {
  const of = curve.parts.filter((p) => p.missing || x <= p.known + 1e-9).map((p) => valueAt(p, x) ?? Infinity);
  return of.length < 2 ? null : [Math.min(...of), Math.max(...of)];
}

// band returns the bounds of the confidence at x, as factors of the value. Between
// two percentiles with known bounds the factors are interpolated, so that the band
// follows the line. It is null outside of them, and [low, Infinity] where the upper
// bound is unknown.
function band(curve, x) {
  const known = (curve.confidence ??= (curve.rows ?? [])
    .filter((r) => r.percentile < 100 && r.value_ns > 0 && r.low_ns > 0)
    .map((r) => ({
      x: nines(r.percentile),
      low: Math.log(r.low_ns / r.value_ns),
      high: r.high_ns > 0 ? Math.log(r.high_ns / r.value_ns) : Infinity,
    })));
  const i = known.findIndex((k) => k.x >= x - 1e-9);
  if (i < 0 || (i === 0 && known[0].x > x + 1e-9)) return null;
  const b = known[i],
    a = known[Math.max(i - 1, 0)],
    t = b.x > a.x ? (x - a.x) / (b.x - a.x) : 1;
  const between = (from, to) => (t === 1 ? to : from + (to - from) * t);
  return [
    Math.exp(between(a.low, b.low)),
    a.high === Infinity || (b.high === Infinity && t > 0) ? Infinity : Math.exp(between(a.high, b.high)),
  ];
}

// endOf returns where the data ends: no curve has a value beyond.
const endOf = (curves) => Math.max(1, ...curves.map((c) => c.known));

// gridOf returns the x at which curves are evaluated, sorted: the grid, the ends of
// the curves, and the listed percentiles.
function gridOf(curves) {
  const all = [...grid, ...curves.flatMap((c) => [c.known, c.relied, ...c.points.map((p) => p.x)])];
  const end = endOf(curves);
  return [...new Set(all.filter((x) => x <= end + 1e-9).map((x) => Math.round(x * 1e9) / 1e9))].sort((a, b) => a - b);
}

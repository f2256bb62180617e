// The percentile curves of the series that are ticked, repeats merged.

const overview = { log: true, bands: true, floor: true, series: "response" };

// drawOverview draws the curves after unpacking their cells. If other series are ticked
// meanwhile it gives up: the later call draws those.
async function drawOverview() {
  const list = selection.list(),
    call = (overview.call = {});
  const found = await Promise.all(list.map(pooled));
  if (overview.call !== call) return;
  overview.chart?.destroy();
  overview.chart = null;
  const curves = list.flatMap((s, i) => curvesOf(s, found[i])).filter((c) => c.histogram.count);
  byID("overview-empty").hidden = curves.length > 0;
  byID("overview-empty").textContent = list.length
    ? "These cells have no interval log to draw curves from."
    : "Tick rows of the table to draw them.";
  if (!curves.length) return;
  overview.chart = percentileChart(byID("overview"), {
    title: overview.series === "service" ? "Service time by percentile" : "Response time by percentile",
    hint: hints(overview.bands && curves.length <= bandLimit && curves),
    name: "percentiles",
    height: 420,
    log: overview.log,
    bands: overview.bands,
    curves,
    floors: overview.floor ? floorsOf(found) : [],
  });
}

function curvesOf(one, found) {
  const { series: which } = overview,
    both = which === "both",
    among = labelAmong(one, selection.list()), // leaves out what all that is drawn shares
    text = (among || label(one)) + doubt(one),
    short = both || among ? null : one.target + doubt(one);
  const style = (i) => (both ? member(one.hue, selection.slots.get(one), i, 2) : selection.style(one));
  return [
    which !== "service" && newCurve(found.response, { short, label: both ? text + ": response" : text, ...style(0) }),
    which !== "response" &&
      newCurve(found.service, { short, label: both ? text + ": service" : text, ...style(1), width: both ? 1.5 : 2, plain: both }),
  ].filter(Boolean);
}

// doubt is what stands behind the name of a line whose verdict is an exception.
const doubt = (s) => (s.verdict === "valid" ? "" : ` (${s.verdict})`);

// floorsOf returns the slowest floor of what is drawn: each cell has one of its own, and
// more lines than one say no more.
function floorsOf(found) {
  const floors = found.flatMap((f) => f.floors).map((f) => f.echo.response.percentiles);
  const p99 = (rows) => rows.find((r) => r.percentile === 99)?.value_ns ?? 0;
  const [rows] = floors.sort((a, b) => p99(b) - p99(a));
  return rows ? [floorLine(rows, floors.length)] : [];
}

// floorLine is a floor, the slowest of so many.
const floorLine = (rows, of) => ({
  rows,
  short: "floor",
  label: "floor: a TCP echo in place of the broker" + (of > 1 ? `, the slowest of ${of}` : ""),
});

// hints says how to read curves; with bands it says of what they are.
function hints(banded) {
  const faint = "hollow: of limited use · faint: fewer than 10 replies above";
  if (!banded) return faint;
  const unbounded = banded.some((c) => c.rows?.some((r) => r.low_ns > 0 && r.high_ns == null));
  const kinds = [
    banded.some((c) => !c.parts) && "95 % confidence" + (unbounded ? ", up to the line where it has no upper bound" : ""),
    banded.some((c) => c.parts) && "from the lowest to the highest repeat, line: all together",
  ].filter(Boolean);
  return `${faint} · band: ${kinds.join(", or ")}`;
}

const latencies = [
  [true, "log"],
  [false, "linear"],
];

function overviewBar() {
  const redraw = (key) => (value) => ((overview[key] = value), drawOverview());
  const names = ["response", "service", "both"].map((name) => [name, name]);
  return h(
    "div",
    { class: "bar" },
    choice("Show", names, overview.series, redraw("series")),
    choice("Latency", latencies, overview.log, redraw("log")),
    toggle("bands", overview.bands, redraw("bands")),
    toggle("floor", overview.floor, redraw("floor")),
  );
}

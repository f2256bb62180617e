// The page: which cells are drawn, and the sections in their order.

// selection is the cells whose curves are drawn, and which line of its hue each
// is: its dash stays with it as long as it is ticked.
const selection = {
  lines: new Map(),
  changed: [],
  cells: () => [...selection.lines.keys()],
  style: (cell) => nth(cell.hue, selection.lines.get(cell)),
  add(cell) {
    if (selection.lines.size >= curveLimit) return;
    const taken = new Set(
      selection
        .cells()
        .filter((c) => c.hue === cell.hue)
        .map((c) => selection.lines.get(c)),
    );
    let free = 0;
    while (taken.has(free)) free++;
    selection.lines.set(cell, free);
  },
  toggle(cell, on) {
    if (on) selection.add(cell);
    else selection.lines.delete(cell);
    selection.announce();
  },
  set(cells) {
    selection.lines.clear();
    cells.forEach(selection.add);
    selection.announce();
  },
  announce: () => selection.changed.forEach((f) => f()),
};

// firstCells returns the cells to draw when the page opens: all targets of the
// first shape, or the first cells of a single target.
function firstCells() {
  const cells = report.cells.filter((c) => c.measured),
    [first] = cells;
  const same = cells.filter((c) => shape(c) === shape(first) && c.repeat === first.repeat);
  return (same.length > 1 ? same : cells).slice(0, 8);
}

const overview = { log: true, bands: true, floor: true, series: "response" };

// drawOverview draws the curves of the ticked cells, after unpacking them. If other
// cells are ticked meanwhile it gives up: the later call draws those.
async function drawOverview() {
  const host = byID("overview"),
    cells = selection.cells();
  const found = await Promise.all(cells.map(detail));
  if (cells.some((c, i) => selection.cells()[i] !== c) || cells.length !== selection.cells().length) return;
  overview.chart?.destroy();
  overview.chart = null;
  const curves = cells.flatMap((cell, i) => curvesOf(cell, found[i])).filter((c) => c.histogram.count);
  byID("overview-empty").hidden = curves.length > 0;
  byID("overview-empty").textContent = cells.length
    ? "These cells have no interval log to draw curves from."
    : "Tick cells in the table to draw them.";
  if (!curves.length) return;
  overview.chart = percentileChart(host, {
    title: overview.series === "service" ? "Service time by percentile" : "Response time by percentile",
    hint: hints(overview.bands && curves.length <= bandLimit),
    name: "percentiles",
    height: 420,
    log: overview.log,
    bands: overview.bands,
    curves,
    floors: overview.floor ? floorsOf(found) : [],
  });
}

function curvesOf(cell, found) {
  const { series } = overview,
    both = series === "both";
  const style = (i) => (both ? member(cell.hue, selection.lines.get(cell), i, 2) : selection.style(cell));
  const one = (name, how) =>
    newCurve(found.whole[name], found.cell.response.missing, found.cell[name].max_ns, found.cell[name].percentiles, {
      ...how,
    });
  const text = legendLabel(cell);
  return [
    series !== "service" && one("response", { label: both ? text + ": response" : text, ...style(0) }),
    series !== "response" &&
      one("service", {
        label: both ? text + ": service" : text,
        ...style(1),
        width: both ? 1.5 : 2,
        plain: both,
      }),
  ].filter(Boolean);
}

// legendLabel leaves out what all drawn cells share.
function legendLabel(cell) {
  return labelAmong(cell, selection.cells()) || label(cell);
}

// floorsOf returns each floor once: cells of one shape share theirs.
function floorsOf(found) {
  const floors = new Map();
  for (const { cell } of found) {
    if (cell.floor) floors.set(JSON.stringify(cell.floor.echo.response), cell.floor.echo.response.percentiles);
  }
  return [...floors.values()].slice(0, 4).map((rows, i, all) => ({
    rows,
    label: "floor: a TCP echo in place of the broker" + (all.length > 1 ? ` (${i + 1})` : ""),
  }));
}

function overviewBar() {
  const redraw = (key) => (value) => ((overview[key] = value), drawOverview());
  return h(
    "div",
    { class: "bar" },
    choice(
      "Show",
      [
        ["response", "response"],
        ["service", "service"],
        ["both", "both"],
      ],
      overview.series,
      redraw("series"),
    ),
    choice(
      "Latency",
      [
        [true, "log"],
        [false, "linear"],
      ],
      overview.log,
      redraw("log"),
    ),
    toggle("95 % confidence", overview.bands, redraw("bands")),
    toggle("floor", overview.floor, redraw("floor")),
  );
}

async function open() {
  show(byID("title"), report.runs.map((r) => r.name).join(" · "));
  show(byID("summary"), summary());
  cellTable(byID("cells"));
  show(byID("runs"), h("h2", null, report.runs.length > 1 ? "Runs" : "Run"), report.runs.map(runFacts));
  const measured = report.cells.filter((c) => c.measured);
  for (const id of ["percentiles-section", "cell"]) byID(id).hidden = !measured.length;
  byID("repeats-section").hidden = !repeatTable(byID("repeats"));
  byID("rates-section").hidden = !rateChart(byID("rates"));
  document.querySelectorAll("nav a").forEach((a) => (a.hidden = byID(a.hash.slice(1)).hidden));
  if (!measured.length) return;
  show(byID("overview-bar"), overviewBar());
  selection.changed.push(drawOverview);
  selection.set(firstCells());
  await openCell(measured[0], false);
}

open().then(() => {
  performance.mark("ready");
  document.documentElement.setAttribute("data-ready", "");
});

// The data in the page: a table of all cells, grouped into series, and a blob for each
// cell, which is unpacked when the cell is first shown.

const report = JSON.parse(byID("data").textContent);
report.cells.forEach((row, i) => {
  row.number = i;
  row.measured = row.verdict !== "";
  [row.rate, row.size] = [row.rate_per_s, row.size_bytes];
  row.codes = (row.problems ?? []).map((p) => p.code);
  row.doubts = (row.problems ?? []).filter((p) => p.severity !== "valid").map((p) => p.code); // no mere notes
  row.outcomes = outcomesOf([row]);
});

// series are the rows of the page: one target with one shape in one run, its repeats
// taken together. A series of one cell has that cell's numbers; one that was repeated
// has its own, from package html. They are in the order of the answer, shape by shape;
// what was not measured is a series of one cell, at the end.
const series = report.shapes.flatMap((group, shape) =>
  group.targets.map((s) => {
    const cells = s.cells.map((i) => report.cells[i]);
    const union = (key) => [...new Set(cells.flatMap((c) => c[key]))];
    return { ...cells[0], ...s, cells, repeats: cells.length, shape, codes: union("codes"), doubts: union("doubts"), outcomes: outcomesOf(cells) };
  }),
);
series.push(...report.cells.filter((c) => !c.measured).map((c) => ({ ...c, cells: [c], repeats: 1, shape: -1 })));
series.forEach((s, i) => (s.number = i));

// outcomesOf counts how many objectives of cells passed, were missed, …
function outcomesOf(cells) {
  const counts = {};
  for (const { outcome } of cells.flatMap((c) => c.slos ?? [])) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

// pooled returns a promise of what the repeats of a series hold together: histograms
// are added, never percentiles averaged.
async function pooled(one) {
  const parts = await Promise.all(one.cells.map(detail));
  const sum = (name) =>
    parts.length > 1 ? Histogram.merge(parts.flatMap((p) => p[name])) : parts[0].whole[name];
  const of = (name) => ({
    histogram: sum(name),
    missing: parts.reduce((n, p) => n + p.cell[name].missing, 0),
    max: Math.max(...parts.map((p) => p.cell[name].max_ns)),
    rows: parts.length > 1 ? null : parts[0].cell[name].percentiles,
    limited: limitedOf(parts.map((p) => p.cell[name])),
    parts: parts.length > 1 ? parts.map((p) => ({ histogram: p.whole[name], missing: p.cell[name].missing, max: p.cell[name].max_ns })) : null,
  });
  return { response: of("response"), service: of("service"), floors: parts.map((p) => p.cell.floor).filter(Boolean) };
}

// usable tells whether a row of a distribution is of unlimited use; files of before have
// no use in them.
const usable = (row) => (row.use ? row.use !== "limited" : row.trusted);

// limitedOf returns the percentiles that are of limited use in any of some distributions.
const limitedOf = (distributions) =>
  new Set(distributions.filter((d) => d.count + d.missing > 0).flatMap((d) => d.percentiles.filter((r) => !usable(r)).map((r) => r.percentile)));

const unpacked = new Map(); // of the number of a cell, the promise of its detail

// detail returns a promise of everything about a cell.
function detail(row) {
  if (!unpacked.has(row.number)) unpacked.set(row.number, unpack(JSON.parse(byID("cell-" + row.number).textContent)));
  return unpacked.get(row.number);
}

// unpack reads a blob: see blob.go.
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const raw = new Uint8Array(await new Response(inflated).arrayBuffer());
  const length = new DataView(raw.buffer).getUint32(0, true);
  const found = JSON.parse(new TextDecoder().decode(raw.subarray(4, 4 + length)));
  const next = varints(raw, 4 + length);
  found.response = sparse(next, found.intervals.length);
  found.service = sparse(next, found.intervals.length);
  found.whole = { response: Histogram.merge(found.response), service: Histogram.merge(found.service) };
  return found;
}

// varints returns a function that reads the next number. Numbers may exceed 32
// bits, so they are put together by multiplication.
function varints(raw, at) {
  return () => {
    let value = 0,
      scale = 1;
    for (;;) {
      const byte = raw[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
}

// sparse reads n histograms: all sizes, all indices, all counts.
function sparse(next, n) {
  const list = Array.from({ length: n }, () => next()).map((buckets) => ({
    index: new Uint32Array(buckets),
    count: new Float64Array(buckets),
  }));
  for (const { index } of list) {
    let at = 0;
    for (let i = 0; i < index.length; i++) index[i] = at += next();
  }
  for (const { count } of list) for (let i = 0; i < count.length; i++) count[i] = next();
  return list;
}

const runsDiffer = report.runs.length > 1;
const repeated = series.some((s) => s.cells.length > 1);

// runName names a run, with a number where two have the same name.
function runName(i) {
  const name = report.runs[i].name || report.runs[i].folder;
  return report.runs.filter((r) => r.name === report.runs[i].name).length > 1 ? `${name} #${i + 1}` : name;
}

// shape writes the shape of a cell.
function shape(row) {
  const parts = [rate(row.rate) + "/s", size(row.size), plural(row.connections, "connection")];
  if (row.in_flight > 0) parts.push(row.in_flight + " in flight");
  if (row.arrivals !== "constant") parts.push(row.arrivals);
  return parts.join(" · ");
}

// labelAmong names a cell among others, by what differs between them.
function labelAmong(cell, cells) {
  const parts = [
    ["run", runName],
    ["target", String],
    ["rate", (r) => rate(r) + "/s"],
    ["size", size],
    ["connections", (n) => plural(n, "connection")],
    ["in_flight", (n) => inFlight(n) + " in flight"],
    ["arrivals", String],
  ];
  return parts
    .filter(([key]) => distinct(cells.map((c) => c[key])) || (key === "target" && cells.length > 1))
    .map(([key, write]) => write(cell[key]))
    .join(" · ");
}

// label names a series among all of the page.
function label(row) {
  const parts = [row.target, shape(row)];
  if (runsDiffer) parts.unshift(runName(row.run));
  return parts.join(" · ");
}

// The data in the page: a table of all cells, and a blob for each, which is
// unpacked when the cell is first shown.

const report = JSON.parse(byID("data").textContent);
report.cells.forEach((row, i) => {
  row.number = i;
  row.measured = row.verdict !== "";
  [row.rate, row.size] = [row.rate_per_s, row.size_bytes];
  row.codes = (row.problems ?? []).map((p) => p.code);
  row.doubts = (row.problems ?? []).filter((p) => p.severity !== "valid").map((p) => p.code); // no mere notes
  row.outcomes = {}; // how many of its objectives passed, missed, …
  for (const outcome of (row.slos ?? []).map((s) => s.outcome).sort())
    row.outcomes[outcome] = (row.outcomes[outcome] ?? 0) + 1;
});

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
const arrivalsDiffer = distinct(report.cells.filter((c) => c.measured).map((c) => c.arrivals));
const repeated = report.cells.some((c) => c.repeat > 1);

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
    ["repeat", (n) => "repeat " + n],
  ];
  return parts
    .filter(([key]) => distinct(cells.map((c) => c[key])) || (key === "target" && cells.length > 1))
    .map(([key, write]) => write(cell[key]))
    .join(" · ");
}

// label names a cell among all cells of the page.
function label(row) {
  const parts = [row.target, shape(row)];
  if (repeated) parts.push("repeat " + row.repeat);
  if (runsDiffer) parts.unshift(runName(row.run));
  return parts.join(" · ");
}

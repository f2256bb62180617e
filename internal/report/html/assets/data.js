// The data in the page: a table of all cells, grouped into series, and a blob for each
// cell, which is unpacked when the cell is first shown.

const report = JSON.parse(byID("data").textContent);
report.cells.forEach((row, i) => {
  row.number = i;
  row.measured = row.verdict !== "";
  [row.rate, row.size] = [row.rate_per_s, row.size_bytes];
  [row.clients, row.consumers] = [plural(row.connections, row.topology ? "producer" : "connection"), consumers(row.topology)];
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

// usable tells whether a row of a distribution is of unlimited use; files of before have
// no use in them.
const usable = (row) => (row.use ? row.use !== "limited" : row.trusted);

const unpacked = new Map(); // of the number of a cell, the promise of its detail

// detail returns a promise of everything about a cell.
function detail(row) {
  if (!unpacked.has(row.number)) unpacked.set(row.number, unpack("cell-" + row.number));
  return unpacked.get(row.number);
}

// inflate returns a promise of the bytes in a block of the page.
async function inflate(id) {
  const packed = Uint8Array.from(atob(JSON.parse(byID(id).textContent)), (c) => c.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}

// unpack reads the blob of a cell: see detail.blob in Go.
async function unpack(id) {
  const raw = await inflate(id);
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

// runName names a run, with a number where two have the same name.
function runName(i) {
  const name = report.runs[i].name || report.runs[i].folder;
  return report.runs.filter((r) => r.name === report.runs[i].name).length > 1 ? `${name} #${i + 1}` : name;
}

// consumers names the topics and the groups of consumers; "" if each connection consumes what it sends.
function consumers(t) {
  return t ? `${plural(t.topics, "topic")}, ${plural(t.groups, "group")} of ${t.members}` : "";
}

// shape writes the shape of a cell.
function shape(row) {
  const parts = [row.rate_text ?? rate(row.rate) + "/s", size(row.size) + (row.sizes ? ` of ${row.sizes}` : ""), row.clients];
  if (row.consumers) parts.push(row.consumers);
  if (row.message_text) parts.push(row.message_text);
  if (row.in_flight > 0) parts.push(row.in_flight + " in flight");
  if (row.arrivals !== "constant") parts.push(row.arrivals);
  return parts.join(" · ");
}

// label names a series among all of the page.
function label(row) {
  const parts = [row.target, shape(row)];
  if (runsDiffer) parts.unshift(runName(row.run));
  return parts.join(" · ");
}

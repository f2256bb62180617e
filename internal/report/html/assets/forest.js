// The answer: a forest plot of the targets, shape by shape, on one logarithmic axis. A
// dot is p50, a bar goes to p99 with its 95 % interval, a tick is the maximum, and the
// floor is shaded. What is limited is hollow; a cross stands for what is unknown.

const rowHeight = 26,
  axisHeight = 26,
  mostRows = 40; // more of them only when they are asked for

const forestState = { all: false };

// answers fills the host with a part for each shape, and returns whether there is any.
// What belongs to a search is answered by its table.
function answers(host, list) {
  const groups = answered(list);
  forestState.redraw?.disconnect();
  if (!groups.length) return host.replaceChildren(), false;
  const shown = forestState.all ? groups : firstGroups(groups);
  const more = h("button", { type: "button", onclick: () => ((forestState.all = true), answers(host, list)) }, `Show all ${count(groups.length)} shapes`);
  const parts = shown.map((group) => h("div", { class: "answer" }, says(group), h("div", { class: "marks" })));
  const title = "Response time",
    hint = "from the moment each message was due; numbers in ms";
  const above = caption({ title, hint, name: "answer", rows: () => forestRows(shown) }, () => forestPNG(parts, `${title} (ms), ${hint.split(";")[0]}`));
  const figure = h("figure", { class: "answers", "data-chart": "answer" }, above, parts);
  show(host, figure, shown.length < groups.length && h("p", null, more), report.runs.flatMap((r) => r.causes ?? []).map((text) => h("p", { class: "hint" }, text)), forestKey(shown.flatMap((g) => g.series)));
  const draw = () => drawForest(parts, shown);
  forestState.redraw = new ResizeObserver(draw);
  forestState.redraw.observe(host);
  draw();
  return true;
}

// answered returns the series of each shape, without those of searches.
function answered(list) {
  const searched = new Set((report.searches ?? []).map((s) => s.run));
  return groupsOf(list.filter((s) => s.measured && s.ledger.due > 0 && !searched.has(s.run)));
}

// groupsOf returns the series of each shape, in the order of the shapes and, in them, of
// the answer.
function groupsOf(list) {
  const shown = new Set(list);
  return report.shapes
    .map((shape, i) => ({ shape, series: shape.targets.map((t) => series.find((s) => s.shape === i && s.cells[0].number === t.cells[0])) }))
    .map((g) => ({ ...g, series: g.series.filter((s) => shown.has(s)) }))
    .filter((g) => g.series.length);
}

// firstGroups returns as many shapes as a reader looks through.
function firstGroups(groups) {
  let rows = 0;
  return groups.filter((g, i) => (rows += g.series.length) <= mostRows || i === 0);
}

// says is what stands beside the marks: the shape, and the sentences about it.
function says({ shape: { sentences }, series: [first] }) {
  return h("div", { class: "says" }, h("h3", null, shape(first)), sentences.map(({ run, text }) => h("p", null, (runsDiffer ? runName(run) + ": " : "") + text)));
}

// drawForest draws the marks of each part on the same scale.
function drawForest(parts, groups) {
  const all = groups.flatMap((g) => g.series);
  const width = parts[0].querySelector(".marks").clientWidth;
  if (!(width > 0)) return;
  const at = forestScale(all, width);
  parts.forEach((part, i) => {
    const first = i === 0 || width < 560;
    show(part.querySelector(".marks"), forestMarks(groups[i].series, at, first));
  });
}

// forestScale lays out a row: names on the left, numbers on the right, and between them
// the axis. It returns x(ns), and where things are.
function forestScale(all, width) {
  const names = Math.max(...all.map((s) => widthOf(nameOf(s)) + (s.verdict === "valid" ? 0 : widthOf(s.verdict, small) + 8)));
  const left = Math.min(names + 14, width * 0.32),
    columns = width >= 620 ? ["50", "99", "100"] : ["99"],
    right = width - columns.length * 58 - 14;
  const values = all.flatMap((s) => [s.response["50"]?.ns, s.response["99"]?.ns, s.max_ns, s.floor_ns]).filter((v) => v > 0);
  const [low, high] = logRange(0.85 * Math.min(...values), Math.max(...values));
  const x = (ns) => left + ((right - left) * Math.log(Math.min(Math.max(ns, low), high) / low)) / Math.log(high / low);
  return { x, low, high, left, right, width, columns };
}

const small = "11px system-ui, sans-serif";
const nameOf = (s) => (runsDiffer ? runName(s.run) + " · " : "") + s.target;

// forestMarks draws the rows of one shape; the first has the axis above it.
function forestMarks(list, at, labelled) {
  const top = labelled ? axisHeight : 4,
    height = top + list.length * rowHeight + 4;
  const root = svg("svg", { width: at.width, height, viewBox: `0 0 ${at.width} ${height}`, role: "img", class: "forest" });
  root.setAttribute("aria-label", list.map(spoken).join("; "));
  list.forEach((s, i) => s.floor_ns > 0 && svg("rect", { class: "floor", x: at.left, y: top + i * rowHeight, width: at.x(s.floor_ns) - at.left, height: rowHeight }, root));
  const marks = logSplits(at.low, at.high, (at.right - at.left) / 2);
  marks.forEach((v) => svg("line", { class: "grid", x1: at.x(v), x2: at.x(v), y1: top, y2: height }, root));
  if (labelled) {
    forestTicks(marks, at).forEach((v) => svg("text", { class: "tick-label", x: at.x(v), y: 14, "text-anchor": "middle" }, root, tick(v)));
    at.columns.forEach((p, i) => svg("text", { class: "tick-label", x: columnAt(at, i), y: 14, "text-anchor": "end" }, root, percentile(+p)));
  }
  list.forEach((s, i) => root.append(forestRow(s, at, top + (i + 0.5) * rowHeight)));
  return root;
}

// forestTicks leaves out labels that would overlap, or stick out: powers of ten stay.
function forestTicks(marks, at) {
  const whole = (v) => Number.isInteger(+Math.log10(v).toFixed(9));
  const placed = [];
  for (const v of [...marks.filter(whole), ...marks.filter((v) => !whole(v))]) {
    const half = widthOf(tick(v)) / 2 + 5,
      from = at.x(v) - half,
      to = at.x(v) + half;
    if (to <= at.right + 30 && placed.every((p) => to <= p.from || from >= p.to)) placed.push({ v, from, to });
  }
  return placed.map((p) => p.v);
}

const columnAt = (at, i) => at.width - (at.columns.length - 1 - i) * 58 - 2;

// spoken says a row in words.
function spoken(s) {
  const of = (p) => quantileText(s.response[p], s, p);
  const { low, high } = s.response["99"] ?? {};
  return (
    `${nameOf(s)}: p50 ${of("50")} ms, p99 ${of("99")} ms` +
    (low == null ? "" : ` (95 %: ${millis(low)} to ${high == null ? "unbounded" : millis(high)})`) +
    `, max ${of("100")} ms` +
    (s.floor_ns > 0 ? `, floor p99 ${millis(s.floor_ns)} ms` : "")
  );
}

// One cell: its facts, its timeline, and the percentiles of a span of it.

let opened = null; // the cell that is shown: {row, detail, time}
let opening = null; // the latest call of openCell

// openCell unpacks a cell and shows it; go moves the reader there.
async function openCell(row, go) {
  const call = (opening = {}),
    key = cellKey(row);
  if (go) choose({ cell: key, span: address.cell === key ? address.span : "" });
  const found = await detail(row);
  if (opening !== call) return; // another was opened meanwhile
  opened?.time.panels.forEach((p) => p.destroy());
  opened = { row, detail: found };
  markCurrent();
  opened.time = newTime(row, found, () => drawSpan());
  show(byID("cell"), cellHead(row), cellBody(row, found));
  timeline(byID("timeline"), opened.time, found);
  nodeCharts(byID("nodes"), opened.time, found);
  await null; // the charts know their size
  opened.time.restore();
  if (!opened.time.span) drawSpan();
  if (go) {
    byID("cell").scrollIntoView();
    byID("cell").querySelector("h2").focus({ preventScroll: true });
  }
}

function cellHead(row) {
  const list = report.cells.filter((c) => c.measured),
    i = list.indexOf(row);
  const repeats = series.find((s) => s.cells.includes(row)).cells;
  const step = (to, text) =>
    h("button", { type: "button", disabled: !list[to], onclick: () => openCell(list[to], true) }, text);
  const about = [
    shape(row),
    repeats.length > 1 && `repeat ${row.repeat} of ${repeats.length}`,
    runsDiffer && runName(row.run),
  ].filter(Boolean);
  return h(
    "header",
    { class: "cell-head" },
    h("h2", { tabindex: -1 }, row.target, h("span", { class: "shape" }, " " + about.join(" · "))),
    repeats.length > 1 && choice("Repeat", repeats.map((c) => [c, c.repeat]), row, (c) => openCell(c, true)),
    h("span", { class: "choice" }, step(i - 1, "‹ previous"), step(i + 1, "next ›")),
  );
}

function cellBody(row, found) {
  const { cell } = found;
  const spanBar = () =>
    h(
      "div",
      { class: "bar span-bar" },
      h("span", { class: "hint" }, "Drag over a chart to choose a span and see its percentiles."),
      spanInputs(found),
      h("output", { id: "span-text" }),
    );
  return [
    h(
      "div",
      { class: "columns" },
      h("section", null, verdictFacts(row, cell)),
      h("section", null, ledgerFacts(cell), measuredFacts(found), costFacts(cell)),
    ),
    faultFacts(cell),
    causeFacts(cell),
    agentFacts(cell),
    h("h3", null, "Over time"),
    found.intervals.length > 0 ? spanBar() : h("p", null, "This cell has no interval log."),
    h("div", { id: "timeline" }),
    eventFacts(happened(cell)),
    h("div", { id: "nodes" }),
    h("h3", { id: "span-title" }, "Percentiles"),
    h("div", { id: "span-table" }),
    found.chart && figureOf("cell", "cell", drawing(found.chart)),
    h("h3", null, "Broker and client"),
    brokerFacts(row, cell),
    h("details", null, h("summary", null, "The exact command"), h("pre", null, commandLine(report.runs[row.run].command))),
  ];
}

// spanInputs let the keyboard choose a span, in seconds after the first message
// was due.
function spanInputs(found) {
  const end = found.intervals[found.intervals.length - 1].to / 1000;
  const input = (id) => h("input", { type: "number", id, min: 0, max: end, step: "any", onchange: fromInputs });
  const field = (id, text) => h("label", null, text + " ", input(id), " s");
  return [
    field("span-from", "from"),
    field("span-to", "to"),
    h("button", { type: "button", id: "span-reset", onclick: () => opened.time.brush(null) }, "whole window"),
  ];
}

function fromInputs() {
  const from = byID("span-from").valueAsNumber,
    to = byID("span-to").valueAsNumber;
  if (from < to) opened.time.brush(covered(opened.time.intervals, from, to));
}

// drawSpan shows the percentiles of the chosen span.
function drawSpan() {
  const { detail: found, time: shared } = opened,
    { span } = shared;
  show(byID("span-table"), spanTable(found, span));
  if (byID("node-table")) show(byID("node-table"), nodeTable(found, span));
  describeSpan(found, span);
  shared.label();
}

const bound = (found, [first, last]) => [seconds(found.intervals[first].from), seconds(found.intervals[last].to)];

// describeSpan writes which span is shown.
function describeSpan(found, span) {
  byID("span-title").textContent = span ? "Percentiles of the span" : "Percentiles of the whole window";
  if (!byID("span-text")) return;
  const replies = count(spanOf(found, span).response.count) + " replies",
    missing = found.cell.response.missing;
  const [from, to] = span ? bound(found, span) : ["", ""];
  byID("span-from").value = from;
  byID("span-to").value = to;
  byID("span-text").value =
    (span ? `${from} to ${to} s: ${plural(span[1] - span[0] + 1, "interval")}, ${replies}` : `whole window: ${replies}`) +
    (span && missing ? `; ${plural(missing, "message")} of the cell never came back and belong to no second` : "");
}

// The repeats of each cell: how much their percentiles differ.

const repeatColumns = [
  ["p50", 50],
  ["p99", 99],
  ["p99.9", 99.9],
  ["max", 100],
];

// repeatTable fills its section, and returns whether any cell was repeated.
function repeatTable(host) {
  const list = report.repeats ?? [];
  if (!list.length) return false;
  const heads = [
    runsDiffer && "run",
    "cell",
    "verdict",
    "repeats",
    "not done",
    ...repeatColumns.map(([title]) => title),
  ].filter(Boolean);
  const text = ["run", "cell", "verdict"];
  host.append(
    h(
      "div",
      { class: "bar" },
      h("span", { class: "hint" }, "Response time in ms: median of the repeats (min–max, variation)"),
      h("button", { type: "button", class: "save", onclick: () => saveCSV(repeatCSV(list), "repeats") }, "CSV"),
    ),
    h(
      "div",
      { class: "scroll table", tabindex: 0, role: "region", "aria-label": "Repeats" },
      h(
        "table",
        { class: "cells repeats" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            heads.map((title) => h("th", { scope: "col", class: text.includes(title) ? "text" : "" }, title)),
          ),
        ),
        h("tbody", null, list.map(repeatRow)),
      ),
    ),
  );
  return true;
}

const spreadOf = (r, p) => r.spreads?.find((s) => s.percentile === p);

function repeatRow(r) {
  const first = report.cells.find((c) => c.run === r.run && c.id === r.cells[0]);
  return h(
    "tr",
    { "data-repeats": r.id },
    runsDiffer && h("td", { class: "text" }, runName(r.run)),
    h("td", { class: "text" }, first ? r.plan.target.name + " " + shape(first) : r.id),
    h("td", { class: "text" }, badge(r.verdict)),
    h("td", null, count(r.cells.length)),
    h("td", { class: r.ledger.due > r.ledger.done && "unknown" }, count(r.ledger.due - r.ledger.done)),
    repeatColumns.map(([, p]) => spreadField(spreadOf(r, p), r, p)),
  );
}

// spreadField writes a spread as the command's table does.
function spreadField(s, r, p) {
  if (!r.ledger.due) return h("td", null, "–");
  const above = p === 100 && r.ledger.done ? "≥ " + millis(r.response.max_ns) : "?";
  if (!s || s.min_ns == null) return h("td", { class: "unknown" }, above);
  const median = s.median_ns == null ? "?" : (s.trusted ? "" : "~") + millis(s.median_ns);
  const range =
    r.cells.length > 1 &&
    ` (${millis(s.min_ns)}–${s.max_ns == null ? above : millis(s.max_ns)}` +
      (s.variation_percent == null ? ")" : `, ${Math.round(s.variation_percent)} %)`);
  return h(
    "td",
    { class: s.median_ns == null ? "unknown" : !s.trusted && "few" },
    median,
    range && h("span", { class: "hint" }, range),
  );
}

// repeatCSV returns the same numbers in nanoseconds.
const repeatCSV = (list) => [
  [
    "run",
    "cell",
    "verdict",
    "repeats",
    "due",
    "done",
    ...repeatColumns.flatMap(([title]) => ["median", "min", "max"].map((k) => `${title}_${k}_ns`)),
  ],
  ...list.map((r) => [
    runName(r.run),
    r.id,
    r.verdict,
    r.cells.length,
    r.ledger.due,
    r.ledger.done,
    ...repeatColumns.flatMap(([, p]) => ["median", "min", "max"].map((k) => spreadOf(r, p)?.[k + "_ns"])),
  ]),
];

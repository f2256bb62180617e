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
      h("span", { class: "hint" }, "Response time in ms: geometric mean of the repeats (its 95 % interval), and the longest of all"),
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
  if (p === 100) {
    const missing = r.ledger.due > r.ledger.done;
    const text = !r.ledger.done ? "?" : (missing ? "≥ " : "") + millis(r.response.max_ns);
    return h("td", { class: missing && "unknown" }, text);
  }
  if (s?.geomean_ns == null) return h("td", { class: "unknown" }, "?");
  const wide = s.low_ns != null && s.high_ns >= 100 * s.low_ns;
  const interval = wide ? "nothing can be said" : `${millis(s.low_ns)}–${millis(s.high_ns)}`;
  return h(
    "td",
    { class: !s.trusted && "few" },
    (s.trusted ? "" : "~") + millis(s.geomean_ns),
    s.low_ns != null && h("span", { class: "hint" }, ` (${interval})`),
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
    ...repeatColumns.flatMap(([title]) => ["geomean", "low", "high", "min", "max"].map((k) => `${title}_${k}_ns`)),
  ],
  ...list.map((r) => [
    runName(r.run),
    r.id,
    r.verdict,
    r.cells.length,
    r.ledger.due,
    r.ledger.done,
    ...repeatColumns.flatMap(([, p]) => ["geomean", "low", "high", "min", "max"].map((k) => spreadOf(r, p)?.[k + "_ns"])),
  ]),
];

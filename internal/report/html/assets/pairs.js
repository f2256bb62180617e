// What the pairs of ab show: how many times as long B takes as A, percentile by percentile.

// pairTable fills its host, and returns whether the page has both sides of an ab.
function pairTable(host) {
  const found = report.pairs;
  if (!found) return false;
  const several = found.cells.length > 1;
  const rows = found.cells.flatMap((cell) => cell.rows.map((row) => pairRow(row, several && cell.a)));
  const pairs = found.cells.map((c) => plural(c.pairs, "pair"));
  show(
    host,
    h("h2", null, "How B differs from A"),
    list([["A", found.a.run], ["B", found.b.run], ["they differ in", found.difference]]),
    numbers(`B/A with its interval; ${distinct(pairs) ? "several pairs" : pairs[0]}`, ["", "answer", "B/A", "A ms", "B ms"], rows, { class: "numbers pairs" }),
    h("p", { class: "hint" }, `If nothing differs, every row says “no difference shown” with ${100 * found.confidence} % confidence. That does not mean that both are the same.`),
  );
  return true;
}

function pairRow({ percentile: p, answer, reason, ratio: { ratio, low, high }, a_ns: a, b_ns: b }, cell) {
  const shown = answer === "B slower" || answer === "B faster";
  const interval = low == null ? "" : ` (${factor(low)}–${factor(high)})`;
  return [
    [cell, percentile(p)].filter(Boolean).join(" · "),
    h("td", { class: "text" }, h(shown ? "strong" : "span", null, answer), reason && ": " + reason),
    ratio > 0 ? "×" + factor(ratio) + interval : "?",
    ...[a, b].map((ns) => (ns == null ? "?" : millis(ns))),
  ];
}

const factor = (v) => v.toPrecision(3);

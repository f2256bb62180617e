// One row of the forest plot.

// forestRow draws a series around the height y.
function forestRow(s, at, y) {
  const row = svg("g", { class: "row", "data-target": s.target });
  row.style.setProperty("--ink", `var(--hue-${s.hue}-0)`);
  row.addEventListener("click", () => openCell(s.cells[0], true));
  svg("title", {}, row, spoken(s) + limitText(s));
  svg("rect", { class: "hit", x: 0, y: y - rowHeight / 2, width: at.width, height: rowHeight }, row);
  forestName(s, at, y, row);
  forestRange(row, at, y, s.response["50"], s.response["99"], s);
  at.columns.forEach((p, i) => {
    const q = s.response[p];
    svg("text", { class: "value" + (q?.ns == null ? " unknown" : q.trusted ? "" : " few"), x: columnAt(at, i), y: y + 4, "text-anchor": "end" }, row, quantileText(q, s, p));
  });
  return row;
}

// forestName writes the target, and its verdict if that is an exception.
function forestName(s, at, y, row) {
  const odd = s.verdict !== "valid",
    room = at.left - 14 - (odd ? widthOf(s.verdict, small) + 8 : 0);
  const name = clip(nameOf(s), room);
  svg("text", { class: "name", x: 0, y: y + 4 }, row, name);
  if (odd) svg("text", { class: "verdict " + s.verdict, x: widthOf(name) + 8, y: y + 4 }, row, s.verdict);
}

// forestRange draws the marks between two percentiles and up to the maximum.
function forestRange(row, at, y, p50, p99, { max_ns: max, ledger }) {
  const unknown = ledger.due > ledger.done,
    end = at.right;
  if (p50?.ns != null) {
    const from = at.x(p50.ns),
      to = p99?.ns == null ? end : at.x(p99.ns);
    if (max > 0) svg("line", { class: "reach", x1: to, x2: unknown ? end : at.x(max), y1: y, y2: y }, row);
    svg("rect", { class: "body" + (p99?.ns != null && p99.trusted ? "" : " hollow"), x: from, y: y - 5, width: Math.max(to - from, 1), height: 10 }, row);
    if (max > 0 && !unknown) svg("line", { class: "max", x1: at.x(max), x2: at.x(max), y1: y - 7, y2: y + 7 }, row);
    if (p99?.low != null) forestInterval(row, at, y, p99);
    svg("circle", { class: "p50" + (p50.trusted ? "" : " hollow"), cx: from, cy: y, r: 4.5 }, row);
  }
  if (unknown) svg("path", { class: "cross", d: `M${end - 4} ${y - 4}l8 8m0-8l-8 8` }, row);
}

// forestInterval draws the 95 % interval: a cap at each bound, and an arrow where there
// is none or it is beyond the axis.
function forestInterval(row, at, y, { low, high }) {
  const from = at.x(low),
    to = high == null ? at.right : at.x(high);
  const cap = (x, open, way) => (open ? `M${x - 5 * way} ${y - 4}L${x} ${y}L${x - 5 * way} ${y + 4}` : `M${x} ${y - 4}V${y + 4}`);
  const openLow = low < at.low,
    openHigh = high == null || high > at.high;
  svg("path", { class: "whisker" + (openHigh ? " unbounded" : ""), d: `M${from} ${y}H${to}` + cap(from, openLow, -1) + cap(to, openHigh, 1) }, row);
}

// limitText says by what the numbers of a row are limited.
function limitText(s) {
  const limited = ["50", "99"].filter((p) => limitOf(s.response[p]));
  return limited.map((p) => `; ${percentile(+p)} is limited by ${limitOf(s.response[p])}`).join("");
}

// limitOf says by what a quantile is limited; "" if it is not.
const limitOf = (q) => (q?.ns == null || q.trusted ? "" : q.limit || "too few messages");

// forestKey explains the marks of some rows.
function forestKey(list) {
  const at = { x: (v) => v, left: 0, right: 34, low: 0, high: 34 };
  const sample = (text, draw) => {
    const root = svg("svg", { width: 36, height: 16, viewBox: "0 0 36 16", "aria-hidden": "true" });
    const row = svg("g", { class: "row" }, root);
    row.style.setProperty("--ink", "var(--muted)");
    draw(row);
    return h("span", { class: "sample" }, root, text);
  };
  const q = (ns, more) => ({ ns, trusted: true, ...more });
  const full = { max_ns: 33, ledger: { due: 1, done: 1 } };
  return h(
    "p",
    { class: "hint key" },
    sample("dot p50, bar to p99, tick maximum", (row) => forestRange(row, at, 8, q(6), q(22), full)),
    sample("whisker: 95 % interval of p99; arrow: no bound was seen, or it is off the axis", (row) => forestInterval(row, at, 8, { low: 6, high: 30 })),
    sample("hollow: of limited use", (row) => forestRange(row, at, 8, q(6, { trusted: false }), q(24, { trusted: false }), { ...full, max_ns: 0 })),
    list.some((s) => s.ledger.due > s.ledger.done) && sample("cross: unknown, messages are missing", (row) => svg("path", { class: "cross", d: "M14 4l8 8m0-8l-8 8" }, row)),
    list.some((s) => s.floor_ns > 0) && sample("shaded: floor, p99 of a TCP echo", (row) => svg("rect", { class: "floor", x: 2, y: 1, width: 30, height: 14 }, row)),
  );
}

// The table of all cells: sorted by any column, filtered by words and verdicts;
// a tick draws a cell's curve, its name opens it.

// columns are what the table can show: key, title, how a row sorts, what its field
// holds; shown only if it tells rows apart.
function columns() {
  const quantileColumn = (title, of) => ({
    title, sort: (r) => of(r)?.ns ?? Infinity, numeric: true, unmeasured: Infinity, field: (r) => quantileField(of(r), r, title),
  });
  const plain = (title, key, write = String, extra = {}) => ({ title, sort: (r) => r[key], numeric: true, field: (r) => h("td", null, write(r[key])), ...extra });
  const differs = (key) => distinct(report.cells.filter((c) => c.measured).map((c) => c[key]));
  return [
    runsDiffer && { title: "run", sort: (r) => r.run, field: (r) => h("td", { class: "text" }, runName(r.run)) },
    { title: "target", sort: (r) => r.target || r.id, field: nameField },
    { title: "verdict", sort: (r) => ["valid", "suspect", "invalid", ""].indexOf(r.verdict), field: (r) => h("td", { class: "text" }, badge(r.verdict)) },
    plain("rate/s", "rate", rate), plain("reached", "reached", rate), plain("size", "size", size), plain("conn", "connections"),
    plain("flight", "in_flight", inFlight, { sort: (r) => r.in_flight || Infinity }),
    differs("arrivals") && { title: "arrivals", sort: (r) => r.arrivals, field: (r) => h("td", { class: "text" }, r.arrivals) },
    differs("repeat") && plain("repeat", "repeat"),
    ...[["p50", "50"], ["p99", "99"], ["p99.9", "99.9"], ["p99.99", "99.99"], ["max", "100"]].map(([title, p]) => quantileColumn(title, (r) => r.response?.[p])),
    quantileColumn("service p99", (r) => r.service?.["99"]),
    { title: "not done", sort: (r) => r.ledger.due - r.ledger.done, numeric: true, field: missingField },
    report.cells.some((c) => c.slos) && { title: "SLOs", sort: (r) => JSON.stringify(r.slos ?? {}), field: sloField },
    { title: "reasons", sort: (r) => (r.doubts ?? []).join(), field: reasonField },
  ].filter(Boolean);
}

function quantileField(q, row, title) {
  if (row.ledger.due === 0 || !q) return h("td", null, "–");
  if (q.ns == null && title === "max" && row.ledger.done > 0) return h("td", { class: "unknown", title: "ops that are not done rank above" }, "≥ " + millis(row.max_ns));
  if (q.ns == null) return h("td", { class: "unknown", title: "unknown: ops that are not done rank here" }, "?");
  return h("td", { class: !q.trusted && "few", title: q.trusted ? null : "fewer than 10 ops above it" }, (q.trusted ? "" : "~") + millis(q.ns));
}

const nameField = (r) => h("td", { class: "text" },
  h("button", { type: "button", class: "open", title: "Show this cell: " + r.id, onclick: () => openCell(r, true) }, r.target));

function missingField(r) {
  const { due, done, failed, lost, unsent } = r.ledger;
  const title = `${count(due)} due = ${count(done)} done + ${count(failed)} failed + ${count(lost)} lost + ${count(unsent)} unsent`;
  return h("td", { title, class: due > done && "unknown" }, count(due - done));
}

const sloField = (r) => h("td", { class: "text" }, Object.entries(r.slos ?? {}).map(([outcome, n]) => h("span", { class: "slo " + outcome }, `${n} ${outcome} `)));

const reasonField = (r) => h("td", { class: "text reasons", title: (r.codes ?? []).join(", ") }, (r.doubts ?? []).join(", "));

const badge = (verdict) => h("span", { class: "badge " + (verdict || "none") }, verdict || "not measured");

// words are what the filter looks through.
const words = (r) => [r.measured ? label(r) : r.id, r.id, r.verdict || "not measured", ...(r.codes ?? []), r.error ?? ""].join(" ").toLowerCase();

function cellTable(host) {
  const cols = columns(), state = { column: -1, down: false, text: "", verdict: "" };
  const texts = report.cells.map(words);
  const rows = report.cells.map((r) => tableRow(r, cols));
  const body = h("tbody", null, rows);
  const heads = cols.map((c, i) => h("th", { scope: "col", class: c.numeric || "text" },
    h("button", { type: "button", onclick: () => sortBy(i) }, c.title)));
  const shown = () => report.cells.filter((c, i) => texts[i].includes(state.verdict) && (!state.verdict || (c.verdict || "not measured") === state.verdict)
    && state.text.toLowerCase().split(/\s+/).every((w) => texts[i].includes(w)));
  const tally = h("output", { class: "tally" });

  function sortBy(i) {
    [state.column, state.down] = [i, state.column === i && !state.down];
    heads.forEach((th, j) => (j === i ? th.setAttribute("aria-sort", state.down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
    update();
  }
  function update() {
    let list = shown();
    if (state.column >= 0) {
      const { sort } = cols[state.column], sign = state.down ? -1 : 1;
      const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
      list = [...list].sort((a, b) => Number(b.measured) - Number(a.measured) || sign * compare(sort(a), sort(b)) || a.number - b.number);
    }
    body.replaceChildren(...list.map((r) => rows[r.number]));
    tally.value = list.length === report.cells.length ? plural(list.length, "cell") : `${count(list.length)} of ${plural(report.cells.length, "cell")}`;
  }

  const verdicts = ["valid", "suspect", "invalid", "not measured"].filter((v) => report.cells.some((c) => (c.verdict || "not measured") === v));
  host.append(
    h("div", { class: "bar" },
      h("label", { class: "search" }, "Filter ", h("input", { type: "search", placeholder: "nats 1 KiB lost …", oninput: (e) => ((state.text = e.target.value), update()) })),
      verdicts.length > 1 && choice("Verdict", [["", "all"], ...verdicts.map((v) => [v, v])], "", (v) => ((state.verdict = v), update())),
      h("span", { class: "choice" }, h("span", { class: "label" }, "Draw"),
        h("button", { type: "button", onclick: () => selection.set(shown().filter((c) => c.measured).slice(0, curveLimit)) }, "all in the table"),
        h("button", { type: "button", onclick: () => selection.set([]) }, "none")),
      tally,
      h("button", { type: "button", class: "save", onclick: () => saveCSV(tableCSV(shown()), "cells") }, "CSV")),
    h("div", { class: "scroll table", tabindex: 0, role: "region", "aria-label": "All cells" }, h("table", { class: "cells" },
      h("thead", null, h("tr", null, h("th", { class: "tick" }, h("span", { class: "hidden" }, "draw")), heads)), body)),
    h("p", { class: "hint" }, "Response times in ms, from the moment each message was due; service from the moment it was sent. ~ fewer than 10 messages above it; ? unknown, messages that are not done rank there; ≥ the true maximum is unknown."));
  update();
  selection.changed.push(() => rows.forEach((row, i) => tickRow(row, report.cells[i])));
}

function tableRow(r, cols) {
  if (!r.measured) {
    return h("tr", { class: "unmeasured" }, h("td", null), h("td", { class: "text", colspan: cols.length }, badge(""), " ", r.id + (r.error ? ": " + r.error : ": not reached")));
  }
  const box = h("input", { type: "checkbox", "aria-label": "Draw " + label(r), onchange: (e) => selection.toggle(r, e.target.checked) });
  return h("tr", { "data-cell": r.number }, h("td", { class: "tick" }, h("label", null, box, h("span", { class: "swatches" }))), cols.map((c) => c.field(r)));
}

// tickRow shows whether a cell is drawn, and in which colour.
function tickRow(row, cell) {
  const box = row.querySelector("input");
  if (!box) return;
  const slot = selection.slot(cell);
  if (box.checked === slot >= 0 && row.slot === slot) return;
  box.checked = slot >= 0;
  row.slot = slot;
  show(row.querySelector(".swatches"), slot >= 0 && swatch(slot));
}

function tableCSV(cells) {
  const ps = ["50", "90", "99", "99.9", "99.99", "100"];
  const head = ["run", "cell", "target", "rate_per_s", "reached_per_s", "size_bytes", "connections", "in_flight", "arrivals", "repeat", "due", "done", "failed", "lost", "unsent", ...ps.map((p) => `response_p${p}_ns`), "service_p99_ns", "verdict", "problems"];
  return [head, ...cells.map((c) => [runName(c.run), c.id, c.target, c.rate, c.reached, c.size, c.connections, c.in_flight, c.arrivals, c.repeat,
    c.ledger.due, c.ledger.done, c.ledger.failed, c.ledger.lost, c.ledger.unsent, ...ps.map((p) => c.response?.[p]?.ns), c.service?.["99"]?.ns, c.verdict, (c.codes ?? []).join(" ")])];
}

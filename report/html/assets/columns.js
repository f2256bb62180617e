// The columns of the table.

// columns returns those to show: each has a title, a key to sort rows by, and a
// function that makes a row's field. Columns that are equal in all rows are left out.
function columns() {
  const quantileColumn = (title, of) => ({
    title,
    sort: (r) => of(r)?.ns ?? Infinity,
    numeric: true,
    field: (r) => quantileField(of(r), r, title),
  });
  const plain = (title, key, write = String, extra = {}) => ({
    title,
    sort: (r) => r[key],
    numeric: true,
    field: (r) => h("td", null, write(r[key])),
    ...extra,
  });
  const differs = (key) => distinct(report.cells.filter((c) => c.measured).map((c) => c[key]));
  return [
    runsDiffer && { title: "run", sort: (r) => r.run, field: (r) => h("td", { class: "text" }, runName(r.run)) },
    { title: "target", sort: (r) => r.target || r.id, field: nameField },
    {
      title: "verdict",
      sort: (r) => ["valid", "suspect", "invalid", ""].indexOf(r.verdict),
      field: (r) => h("td", { class: "text" }, badge(r.verdict)),
    },
    plain("rate/s", "rate", rate),
    plain("reached", "reached", rate),
    plain("size", "size", size),
    plain("conn", "connections"),
    plain("flight", "in_flight", inFlight, { sort: (r) => r.in_flight || Infinity }),
    differs("arrivals") && {
      title: "arrivals",
      sort: (r) => r.arrivals,
      field: (r) => h("td", { class: "text" }, r.arrivals),
    },
    differs("repeat") && plain("repeat", "repeat"),
    ...[
      ["p50", "50"],
      ["p99", "99"],
      ["p99.9", "99.9"],
      ["p99.99", "99.99"],
      ["max", "100"],
    ].map(([title, p]) => quantileColumn(title, (r) => r.response?.[p])),
    quantileColumn("service p99", (r) => r.service?.["99"]),
    { title: "not done", sort: (r) => r.ledger.due - r.ledger.done, numeric: true, field: missingField },
    report.cells.some((c) => c.slos?.length) && { title: "SLOs", sort: (r) => JSON.stringify(r.outcomes), field: sloField },
    { title: "reasons", sort: (r) => r.doubts.join(), field: reasonField },
  ].filter(Boolean);
}

function quantileField(q, row, title) {
  if (row.ledger.due === 0 || !q) return h("td", null, "–");
  if (q.ns == null && title === "max" && row.ledger.done > 0)
    return h("td", { class: "unknown", title: "messages that never came back rank above it" }, "≥ " + millis(row.max_ns));
  if (q.ns == null) return h("td", { class: "unknown", title: "unknown: messages that never came back rank here" }, "?");
  return h(
    "td",
    { class: !q.trusted && "few", title: q.trusted ? null : "limited by " + (q.limit ?? "too few messages") },
    (q.trusted ? "" : "~") + millis(q.ns),
  );
}

const nameField = (r) =>
  h(
    "td",
    { class: "text" },
    h(
      "button",
      { type: "button", class: "open", title: "Show this cell: " + r.id, onclick: () => openCell(r, true) },
      r.target,
    ),
  );

function missingField(r) {
  const { due, done, failed, lost, unsent } = r.ledger;
  const title = `${count(due)} due = ${count(done)} done + ${count(failed)} failed + ${count(lost)} lost + ${count(unsent)} unsent`;
  return h("td", { title, class: due > done && "unknown" }, count(due - done));
}

const sloField = (r) =>
  h(
    "td",
    { class: "text" },
    Object.entries(r.outcomes).map(([outcome, n]) => h("span", { class: "slo " + outcome }, `${n} ${outcome} `)),
  );

const reasonField = (r) =>
  h("td", { class: "text reasons", title: r.codes.join(", ") }, r.doubts.join(", "));

const badge = (verdict) => h("span", { class: "badge " + (verdict || "none") }, verdict || "not measured");

// tableCSV returns the rows of the table for CSV, times in nanoseconds.
function tableCSV(cells) {
  const ps = ["50", "90", "99", "99.9", "99.99", "100"];
  const head = [
    "run",
    "cell",
    "target",
    "rate_per_s",
    "reached_per_s",
    "size_bytes",
    "connections",
    "in_flight",
    "arrivals",
    "repeat",
    "due",
    "done",
    "failed",
    "lost",
    "unsent",
    ...ps.map((p) => `response_p${p}_ns`),
    "service_p99_ns",
    "verdict",
    "problems",
  ];
  return [
    head,
    ...cells.map((c) => [
      runName(c.run),
      c.id,
      c.target,
      c.rate,
      c.reached,
      c.size,
      c.connections,
      c.in_flight,
      c.arrivals,
      c.repeat,
      c.ledger.due,
      c.ledger.done,
      c.ledger.failed,
      c.ledger.lost,
      c.ledger.unsent,
      ...ps.map((p) => c.response?.[p]?.ns),
      c.service?.["99"]?.ns,
      c.verdict,
      c.codes.join(" "),
    ]),
  ];
}

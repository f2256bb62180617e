// The columns of the table. What is equal in all rows is no column: the caption says it.

// columns returns those to show: each has a title, a key to sort rows by, and a
// function that makes a field of a series or of one of its repeats.
function columns() {
  const list = series.filter((s) => s.measured),
    axis = barAxis(list);
  const differs = (key) => distinct(list.map((s) => s[key]));
  const plain = (title, key, write = String, extra = {}) =>
    differs(key) && { title, sort: (r) => r[key], field: (r) => h("td", null, write(r[key])), ...extra };
  const quantile = (title, of, barred) => ({
    title,
    sort: (r) => of(r)?.ns ?? Infinity,
    field: (r) => quantileField(of(r), r, title, barred && axis),
  });
  return [
    runsDiffer && { title: "run", text: true, sort: (r) => r.run, field: (r) => h("td", { class: "text" }, runName(r.run)) },
    list.some((s) => s.rate_text)
      ? { title: "rate", text: true, sort: (r) => r.section ?? 0, field: (r) => h("td", { class: "text" }, r.rate_text ?? rate(r.rate) + "/s") }
      : plain("rate/s", "rate", rate),
    !list.every(keptRate) && { title: "reached", sort: (r) => r.reached, field: (r) => h("td", { class: !keptRate(r) && "unknown" }, rate(r.reached)) },
    plain("size", "size", size),
    plain("conn", "connections"),
    plain("consumers", "consumers", String, { text: true, field: (r) => h("td", { class: "text" }, r.consumers || "own") }),
    plain("messages", "message_text", String, { text: true, sort: (r) => r.message_text || "", field: (r) => h("td", { class: "text" }, r.message_text || "random") }),
    plain("flight", "in_flight", inFlight, { sort: (r) => r.in_flight || Infinity }),
    plain("arrivals", "arrivals", String, { text: true, field: (r) => h("td", { class: "text" }, r.arrivals) }),
    ...["50", "99", "99.9", "99.99", "100"].map((p) => quantile(percentile(+p), (r) => r.response?.[p], true)),
    ...(list.some((s) => s.ack) ? ["50", "99"].map((p) => quantile("ack p" + p, (r) => r.ack?.[p])) : []),
    quantile("service p99", (r) => r.service?.["99"]),
    list.some((s) => s.ledger.due > s.ledger.done) && { title: "not done", sort: (r) => r.ledger.due - r.ledger.done, field: missingField },
    judgedColumn(list),
  ].filter(Boolean);
}

// keptRate tells whether the rate was reached, to half a percent.
const keptRate = (s) => Math.abs(s.reached - s.rate) <= 0.005 * s.rate;

// constants says what all rows have in common.
function constants() {
  const list = series.filter((s) => s.measured);
  if (!list.length) return "";
  const same = (key, text) => !distinct(list.map((s) => s[key])) && text(list[0][key]);
  const repeats =
    list.some((s) => s.repeats > 1) && (same("repeats", (n) => `${n} repeats each`) || "of repeats") + ": the percentile of all together, and below it its 95 % interval";
  const parts = [
    same("rate", (v) => rate(v) + "/s"),
    same("size", size),
    same("clients", String),
    same("consumers", String),
    same("message_text", (text) => text),
    same("in_flight", (n) => (n > 0 ? n + " in flight" : "any number in flight")),
    same("arrivals", (v) => v + " arrivals"),
    list.every(keptRate) && "the rate was reached",
    !list.some((s) => s.ledger.due > s.ledger.done) && "every message came back",
    !list.some((s) => s.verdict !== "valid") && "valid",
    repeats,
  ].filter(Boolean);
  const whose = list.length < series.length ? "All that were measured: " : "All rows: ";
  return (list.length > 1 ? whose : "") + parts.join(" · ");
}

// barAxis is the logarithmic axis that all bars of the table share.
function barAxis(list) {
  const values = list.flatMap((s) => [s.response["50"]?.ns, s.max_ns]).filter((v) => v > 0);
  const low = Math.min(...values) / 1.6,
    high = Math.max(...values);
  return (ns) => Math.log(ns / low) / Math.log(high / low);
}

// barOf draws a bar below the number of a field.
function barOf(field, share, hue) {
  field.style.setProperty("--share", (100 * Math.min(Math.max(share, 0.01), 1)).toFixed(1) + "%");
  field.style.setProperty("--ink", `var(--hue-${hue}-0)`);
}

// quantileText writes a percentile of a series in ms, with its mark.
function quantileText(q, row, p) {
  if (!q || row.ledger.due === 0) return "–";
  if (q.ns != null) return (q.trusted ? "" : "~") + millis(q.ns);
  return p === "100" && row.ledger.done > 0 ? "≥ " + millis(row.max_ns) : "?";
}

function quantileField(q, row, title, axis) {
  const text = quantileText(q, row, title === "max" ? "100" : title);
  if (text === "–") return h("td", null, text);
  if (q.ns == null)
    return h("td", { class: "unknown", title: "unknown: messages that never came back rank " + (text === "?" ? "here" : "above it") }, text);
  const bounds = row.cells?.length > 1 && q.low != null && h("span", { class: "bounds", title: `95 % interval: ${boundsText(q.low, q.high)} ms` }, intervalText(q));
  const field = h(
    "td",
    { class: (q.trusted ? "" : "few ") + (axis ? "barred" : ""), title: q.trusted ? null : "limited by " + limitOf(q) },
    text,
    bounds,
  );
  if (axis) barOf(field, axis(q.ns), row.hue);
  return field;
}

// boundsText writes an interval; one without an upper bound goes to ∞.
const boundsText = (low, high) => `${millis(low)}–${high == null ? "∞" : millis(high)}`;

// intervalText writes the interval of a mean, unless it says nothing.
const intervalText = ({ low, high }) => (high >= 100 * low ? "says nothing" : boundsText(low, high));

function missingField(r) {
  const { due, done, failed, lost, unsent } = r.ledger;
  const title = `${count(due)} due = ${count(done)} done + ${count(failed)} failed + ${count(lost)} lost + ${count(unsent)} unsent`;
  return h("td", { title, class: due > done && "unknown" }, count(due - done));
}

// outcomeBadges writes how many objectives passed, were missed, are not decided.
const outcomeBadges = (outcomes) =>
  ["passed", "missed", "inconclusive"]
    .filter((o) => outcomes[o])
    .flatMap((o) => [h("span", { class: "slo " + o }, `${count(outcomes[o])} ${o === "inconclusive" ? "not decided" : o}`), " "]);

// judgedColumn has what is not as it should be: a badge for a verdict that is an exception,
// the reasons, and what became of the SLOs. It is left out if there is nothing.
function judgedColumn(list) {
  const odd = list.some((s) => s.verdict !== "valid" || s.doubts.length),
    slos = list.some((s) => s.slos?.length);
  const order = (r) => ["valid", "suspect", "invalid", ""].indexOf(r.verdict) + JSON.stringify(r.outcomes);
  return (odd || slos) && { title: odd ? "verdict" : "SLOs", text: true, sort: order, field: judgedField };
}

const judgedField = (r) =>
  h(
    "td",
    { class: "text reasons", title: r.codes.join(", ") },
    r.verdict !== "valid" && [badge(r.verdict), " "],
    r.doubts.join(", "),
    r.doubts.length > 0 && " ",
    outcomeBadges(r.outcomes),
  );

const badge = (verdict) => h("span", { class: "badge " + (verdict || "none") }, verdict || "not measured");

// What a search found: the highest rate that keeps each SLO, target by target.

// foundAs says of each status of a search what it makes of the SLO.
const foundAs = { found: "passed", "kept at --max": "passed", "not kept": "missed" };

// searchTable fills its host, and returns whether the page has a search.
function searchTable(host) {
  const found = report.searches ?? [];
  if (!found.length) return false;
  const slos = [...new Set(found.map((f) => f.objective))];
  const rows = new Map();
  for (const f of found) {
    const key = JSON.stringify([f.run, f.target, f.shape]);
    rows.set(key, [...(rows.get(key) ?? []), f]);
  }
  const most = Math.max(...found.map((f) => f.rate_per_s));
  const shapes = [...rows.values()].map(([f]) => searchShape(f));
  show(
    host,
    h("h2", null, "The highest rate that keeps each SLO"),
    !distinct(shapes) && h("p", { class: "hint" }, shapes[0]),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "searches" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "target"), slos.map((o) => h("th", { scope: "col" }, o)))),
        h("tbody", null, [...rows.values()].map((list, i) => searchRow(list, slos, most, distinct(shapes) && shapes[i]))),
      ),
    ),
    h("p", { class: "hint" }, "Messages a second. ≥: the target may do more. The cells below are the probes of the search."),
  );
  return true;
}

const searchShape = ({ shape: s }) =>
  [size(s.size_bytes), plural(s.connections, "connection"), s.in_flight > 0 && s.in_flight + " in flight", s.arrivals !== "constant" && s.arrivals]
    .filter(Boolean)
    .join(" · ");

function searchRow(list, slos, most, shape) {
  const [first] = list;
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, swatch({ ink: `hue-${first.hue}-0` }), " ", nameOf(first), shape && h("span", { class: "hint" }, " " + shape)),
    slos.map((slo) => searchField(list.find((f) => f.objective === slo), most)),
  );
}

// searchField writes the rate that keeps an SLO, and what is known beyond it.
function searchField(f, most) {
  if (!f) return h("td", null, "–");
  const kept = f.rate_per_s > 0;
  const field = h(
    "td",
    { class: kept && "barred", title: f.reason },
    h("strong", { class: !kept && (foundAs[f.status] === "missed" ? "unknown" : "few") }, kept ? (f.status === "found" ? "" : "≥ ") + rate(f.rate_per_s) : f.status),
    h("span", { class: "hint" }, searchNote(f)),
  );
  if (kept) barOf(field, f.rate_per_s / most, f.hue);
  return field;
}

function searchNote(f) {
  const above = f.above_per_s > 0 ? rate(f.above_per_s) : "";
  const value = f.over?.measured ? ` (${f.over.measured})` : "";
  switch (f.status) {
    case "found":
      return `not at ${above}${value}`;
    case "kept at --max":
      return "the highest rate that was allowed";
    case "not kept":
      return `not even at ${above}${value}`;
    case "client":
      return `at ${above} the client is the limit`;
    case "unclear":
      return `what limits it at ${above} is unclear`;
    case "hysteresis":
      return "after an overload it stayed slow";
    case "not decided":
      return [f.rate_per_s > 0 && "not decided", above && `not at ${above}`, f.needs_ns > 0 && `it would take about ${Math.ceil(f.needs_ns / 60e9)} min`].filter(Boolean).join("; ");
  }
  return "the search did not finish";
}

// The numbers of the table as CSV: a line for each cell, and after them one for each
// series that was repeated.

const csvPercentiles = ["50", "90", "99", "99.9", "99.99", "100"];

// tableCSV returns the rows for CSV, times in nanoseconds.
function tableCSV(list) {
  const head = ["run", "cell", "target", "rate_per_s", "reached_per_s", "size_bytes", "connections", "in_flight", "arrivals", "repeat"];
  const ledger = ["due", "done", "failed", "lost", "unsent"];
  const values = csvPercentiles.flatMap((p) => [`response_p${p}_ns`]);
  const bounds = ["50", "99", "99.9"].flatMap((p) => [`response_p${p}_low_ns`, `response_p${p}_high_ns`]);
  const line = (c, repeat) => [
    runName(c.run),
    repeat === "all" ? c.id.replace(/-r\d+$/, "") : c.id,
    ...head.slice(2, 9).map((name) => c[{ rate_per_s: "rate", reached_per_s: "reached", size_bytes: "size" }[name] ?? name]),
    repeat,
    ...ledger.map((name) => c.ledger[name]),
    ...csvPercentiles.map((p) => c.response?.[p]?.ns),
    ...["50", "99", "99.9"].flatMap((p) => [c.response?.[p]?.low, c.response?.[p]?.high]),
    c.service?.["99"]?.ns,
    c.verdict,
    c.codes.join(" "),
  ];
  return [
    [...head, ...ledger, ...values, ...bounds, "service_p99_ns", "verdict", "problems"],
    ...list.flatMap((s) => s.cells.map((c) => line(c, c.repeat))),
    ...list.filter((s) => s.cells.length > 1).map((s) => line(s, "all")),
  ];
}

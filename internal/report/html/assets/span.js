// A span is the part of the timeline that the reader chose. Its percentiles come
// from the sum of its intervals' histograms: they are exact, and the same as the
// command's.

// spanOf adds up the intervals from first to last; null is the whole window.
// Missing messages have no reply and so no interval: only the window counts them.
function spanOf(detail, span) {
  if (!span) return detail.whole;
  const part = (list) => Histogram.merge(list.slice(span[0], span[1] + 1));
  return { response: part(detail.response), service: part(detail.service) };
}

const tabled = [50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100];

// spanTable compares the percentiles of a span with those of the whole window.
function spanTable(detail, span) {
  const { cell } = detail,
    part = span && spanOf(detail, span);
  const columns = [
    span && ["span", (p) => spanValue(part.response, p, cell.response.max_ns)],
    span && ["span, service", (p) => spanValue(part.service, p, cell.service.max_ns)],
    ["response", (p) => listedValue(cell.response, p)],
    ["95 % confidence", (p) => confidence(cell.response, p)],
    ["service", (p) => listedValue(cell.service, p)],
    ["held", (p) => listedValue(cell.held, p)],
    ["lag", (p) => listedValue(cell.lag, p)],
    cell.floor && ["floor", (p) => listedValue(cell.floor.echo.response, p)],
  ].filter(Boolean);
  const row = (p) => [h("th", { scope: "row", "data-percentile": p }, percentile(p)), ...columns.map(([, field]) => field(p))];
  const heads = ["", ...columns.map(([name]) => name)];
  return numbers("Percentiles in ms", heads, tabled.map(row), { "data-span": span ? span.join("-") : "" });
}

// spanValue writes a percentile of a histogram.
function spanValue(histogram, p, max) {
  if (!histogram.count) return h("td", null, "–");
  const { value, above } = histogram.quantile(p, histogram.count, max);
  return number(value, p === 100 || above >= minAbove, above);
}

// listedValue writes a percentile of cell.json.
function listedValue(distribution, p) {
  const row = distribution?.percentiles?.find((r) => r.percentile === p);
  if (!row || !(distribution.count + distribution.missing)) return h("td", null, "–");
  if (p === 100 && distribution.missing > 0 && distribution.count > 0)
    return h("td", { title: "messages that never came back rank above it" }, "≥ " + millis(distribution.max_ns));
  return number(row.value_ns, usable(row), row.samples_above, row.limited_by);
}

function number(ns, trusted, above, limits) {
  if (ns == null) return h("td", { class: "unknown", title: "unknown: messages that never came back rank here" }, "?");
  return h(
    "td",
    { "data-ns": ns, class: !trusted && "few", title: trusted ? null : limits ? "limited: " + limits.join(", ") : `only ${plural(above, "message")} above it` },
    (trusted ? "" : "~") + millis(ns),
  );
}

function confidence(distribution, p) {
  const row = distribution.percentiles.find((r) => r.percentile === p);
  if (row?.low_ns == null) return h("td", null, "–");
  return h("td", null, boundsText(row.low_ns, row.high_ns));
}

// spanLabel puts a box into a chart that shows the percentiles of the span beside it. It
// returns what fills and places the box.
function spanLabel(u, time, detail) {
  const box = h("div", { class: "span-box", hidden: true });
  u.over.append(box);
  return () => {
    box.hidden = !time.span;
    if (!time.span) return;
    const { response } = spanOf(detail, time.span);
    const value = (p) => spanValue(response, p, detail.cell.response.max_ns).textContent;
    show(box, [50, 99, 99.9, 100].map((p) => h("div", null, h("span", null, percentile(p)), h("b", null, value(p)), response.count > 0 && "ms")));
    const { left, width } = u.select,
      room = u.over.clientWidth - left - width;
    const wide = box.offsetWidth + 8;
    box.style.left = (room >= wide ? left + width + 8 : left >= wide ? left - wide : Math.max(left + width - wide, 0)) + "px";
  };
}

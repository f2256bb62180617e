// A chart is a figure of the timeline: a title, uPlot's canvas, a legend, and buttons that save
// it. The charts of a cell share the axis of time, the cursor and the span.

const font = "12px system-ui, sans-serif";

const gutter = 68, // so that the charts' axes line up
  chartRoom = (u) => ((u.width ?? endsFrom) < endsFrom ? 28 : 96); // and their right edges

// axis makes an axis in the page's colours. uPlot asks for them whenever it draws,
// so switching to dark needs only a redraw.
function axis(extra) {
  return {
    stroke: () => ink("muted"),
    font,
    ticks: { show: false },
    grid: { stroke: () => ink("grid"), width: 1 },
    gap: 6,
    ...extra,
  };
}

const secondsAxis = (labelled) =>
  axis(labelled ? { size: 34, values: (u, s) => s.map((v) => v + " s") } : { size: 10, values: () => [], gap: 0 });

// chart makes a figure in host and draws it. spec: title, hint, name, height, last (it has the
// labels of time), data, series, scale, axis and points (uPlot's), draw(u), events (they are
// numbered), legend (items of {label, ink, dash, value(index)}), ends (labels at the ends of
// lines), rows() (for CSV), controls (elements).
function chart(host, time, spec) {
  const { legend: items = [], ends = [] } = spec,
    name = time.name + "-" + spec.name,
    height = spec.height + (spec.last ? 22 : 0);
  const keys = "Arrow keys move the cursor; with Shift they choose a span, Escape takes it back.";
  const canvas = h("div", { class: "plot", tabindex: 0, role: "group", "aria-label": `${spec.title}. ${keys}` });
  const values = items.map(() => h("output", null));
  const valuesAt = (index) => items.forEach((item, i) => (values[i].value = index == null ? "" : item.value(index)));
  const png = () => savePNG(picture(plot.ctx.canvas, spec.title, items), fileName(name));
  const figure = h("figure", { class: "chart", "data-chart": name }, caption({ ...spec, name }, png), canvas, legend(items, values));
  host.append(figure);
  const plot = new uPlot(
    {
      width: Math.max(canvas.clientWidth, 200),
      height,
      legend: { show: false },
      padding: [8, chartRoom, 0, 0],
      scales: { x: { time: false, range: [0, time.end] }, y: spec.scale },
      axes: [secondsAxis(spec.last), { ...spec.axis, size: gutter }],
      series: [{}, ...spec.series],
      cursor: { ...brushing(time), points: spec.points ?? { size: 6 } },
      hooks: {
        drawClear: [(u) => shadeWarmup(u, time)],
        draw: [(u) => spec.draw(u), (u) => drawEvents(u, time, spec.events), (u) => drawEnds(u, ends)],
        setSelect: [(u) => time.brushed(u)],
        setCursor: [(u) => valuesAt(u.cursor.idx)],
      },
    },
    spec.data,
    canvas,
  );
  const resized = new ResizeObserver(() => {
    const width = canvas.clientWidth;
    if (width > 0 && width !== plot.width) plot.setSize({ width, height });
  });
  resized.observe(canvas);
  canvas.addEventListener("keydown", (event) => moveCursor(event, plot, time));
  return { plot, destroy: () => (resized.disconnect(), plot.destroy(), figure.remove()) };
}

// legend names the lines of a chart, each beside its value.
const legend = (items, values) =>
  h(
    "ul",
    { class: "legend", hidden: !items.length },
    items.map((item, i) => h("li", null, swatch(item), h("span", { class: "name" }, item.label), values[i])),
  );

// brushing lets a drag choose a span of time in any chart. While the mouse moves
// the charts share the cursor only; the span follows when it was chosen.
const brushing = (time) => ({
  y: false,
  sync: {
    key: time.key,
    setSeries: false,
    scales: ["x", null],
    filters: { pub: (type) => type === "mousemove" || type === "mouseleave" },
  },
  drag: { x: true, y: false, setScale: false, dist: 4 },
  bind: { dblclick: () => () => (time.brush(null), null) },
});

// moveCursor moves the cursor with the keys, and with Shift the end of a span.
function moveCursor(event, plot, time) {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "Escape") return time.brush(null, false);
  if (!step) return;
  event.preventDefault();
  const last = plot.data[0].length - 1;
  const from = plot.cursor.idx ?? 0;
  const to = Math.min(Math.max(from + step, 0), last);
  if (event.shiftKey) {
    plot.anchor ??= from;
    time.brush([Math.min(plot.anchor, to), Math.max(plot.anchor, to)], false);
  } else plot.anchor = null;
  plot.setCursor({ left: plot.valToPos(plot.data[0][to], "x"), top: Math.max(plot.cursor.top, 0) });
}

// logSplits returns the numbers on a logarithmic axis: 1, 2, 5 of each decade, or
// more or fewer if there is room in pixels.
function logSplits(low, high, room) {
  const decades = Math.log10(high / low),
    splits = [],
    factors = decades * 60 > room ? [1] : decades * 9 * 40 > room ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const f of factors) {
      const v = f * 10 ** e;
      if (v >= low * 0.999 && v <= high * 1.001) splits.push(v);
    }
  }
  return splits;
}

// logRange widens a range to 1, 2 or 5 times a power of ten.
function logRange(low, high) {
  if (!(low > 0 && high > 0)) return [1e3, 1e9];
  const down = (v) => {
    const e = 10 ** Math.floor(Math.log10(v) + 1e-9);
    return [5, 2, 1].find((f) => f * e <= v * 1.0001) * e;
  };
  const up = (v) => {
    const e = 10 ** Math.floor(Math.log10(v) - 1e-9);
    return [1, 2, 5, 10].find((f) => f * e >= v * 0.9999) * e;
  };
  const range = [down(low), up(high)];
  return range[0] < range[1] ? range : [range[0] / 2, range[1] * 2];
}

// timeAxis is a logarithmic axis of times.
const timeAxis = (extra) =>
  axis({
    values: (u, splits) => splits.map(tick),
    splits: (u, i, low, high) => logSplits(low, high, u.bbox.height / devicePixelRatio),
    filter: (u, splits) => splits,
    ...extra,
  });

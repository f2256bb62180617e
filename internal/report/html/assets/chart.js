// A chart is a figure: a title, uPlot's canvas, and buttons that save it. This file
// has what all charts share: axes, size, keys.

const font = "12px system-ui, sans-serif";

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

// chart makes a figure in host and draws it. spec: title, hint, name (of files),
// height, options and data (uPlot's), legend (items of {label, ink, dash,
// value(index)}), ends (labels at the ends of lines), room (for them), rows() (for CSV),
// controls (elements), brush(from, to).
function chart(host, spec) {
  const canvas = h("div", {
    class: "plot",
    tabindex: 0,
    role: "group",
    "aria-label": spec.title + ". " + (spec.keys ?? "Arrow keys move the cursor."),
  });
  const items = legend(spec.legend ?? []);
  const figure = h(
    "figure",
    { class: "chart", "data-chart": spec.name },
    caption(spec, () => savePNG(picture(plot.ctx.canvas, spec.title, spec.legend ?? []), fileName(spec.name))),
    canvas,
    items.element,
  );
  host.append(figure);

  const options = spec.options;
  const plot = new uPlot(
    {
      ...options,
      width: Math.max(canvas.clientWidth, 200),
      height: spec.height,
      legend: { show: false },
      padding: [8, spec.room, 0, 0],
      cursor: { points: { size: 6 }, ...options.cursor },
      hooks: { ...options.hooks, draw: [...(options.hooks?.draw ?? []), (u) => drawEnds(u, spec.ends ?? [])], setCursor: [(u) => items.at(u.cursor.idx)] },
    },
    spec.data,
    canvas,
  );

  const resized = new ResizeObserver(() => {
    const width = canvas.clientWidth;
    if (width > 0 && width !== plot.width) plot.setSize({ width, height: spec.height });
  });
  resized.observe(canvas);
  canvas.addEventListener("keydown", (event) => keys(event, plot, spec));

  const made = {
    plot,
    figure,
    recolour: () => plot.redraw(false, true),
    destroy: () => (live.delete(made), resized.disconnect(), plot.destroy(), figure.remove()),
  };
  live.add(made);
  return made;
}

// keys moves the cursor, and with Shift the end of a span.
function keys(event, plot, spec) {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (event.key === "Escape" && spec.brush) return spec.brush(null);
  if (!step) return;
  event.preventDefault();
  const last = plot.data[0].length - 1;
  const from = plot.cursor.idx ?? 0;
  const to = Math.min(Math.max(from + step, 0), last);
  if (event.shiftKey && spec.brush) {
    plot.anchor ??= from;
    spec.brush(Math.min(plot.anchor, to), Math.max(plot.anchor, to));
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

// A panel is one chart of the timeline. The panels of a cell share the axis of
// time, the cursor and the span.

const gutter = 68, // so that the panels' axes line up
  panelRoom = (u) => ((u.width ?? endsFrom) < endsFrom ? 28 : 96); // and their right edges

// panel draws lines over time. spec: title, hint, name, height, unit (writes a
// value on the axis), value (writes one in the legend), log, lines (of {label,
// short (at its end), values, ink, dash, remark(index) (beside its value)}), last (has the
// labels of time).
function panel(host, time, spec) {
  const lines = spec.lines.filter((l) => l.values.some((v) => v != null));
  if (!lines.length) return null;
  const all = lines.flatMap((l) => l.values).filter((v) => v != null && (!spec.log || v > 0));
  const few = time.middles.length < 40;
  return chart(host, {
    title: spec.title,
    hint: spec.hint,
    name: spec.name,
    height: spec.height + (spec.last ? 22 : 0),
    controls: spec.controls,
    keys: "Arrow keys move the cursor; with Shift they choose a span, Escape takes it back.",
    brush: time.brushKeys,
    legend: lines.map((l) => ({ ...l, value: (i) => legendText(l, spec, i) })),
    room: panelRoom,
    ends: lines.flatMap((l) => endOfLine(l, time, spec.log)),
    rows: () => [
      ["from_s", "to_s", ...lines.map((l) => l.label)],
      ...time.intervals.map((t, i) => [t.from / 1000, t.to / 1000, ...lines.map((l) => l.values[i])]),
    ],
    data: [time.middles, ...lines.map((l) => (spec.log ? l.values.map((v) => (v > 0 ? v : null)) : l.values))],
    options: {
      scales: {
        x: timeX(time),
        y: spec.log
          ? { distr: 3, range: () => logRange(Math.min(...all), Math.max(...all)) }
          : { range: () => [0, Math.max(...all) * 1.08 || 1] },
      },
      axes: [
        secondsAxis(spec.last),
        spec.log
          ? timeAxis({ size: gutter })
          : axis({ size: gutter, space: 28, incrs: spec.incrs, values: (u, s) => s.map((v) => spec.unit(v)) }),
      ],
      series: [
        {},
        ...lines.map((l) => ({
          stroke: () => ink(l.ink),
          width: l.width ?? 1.5,
          dash: l.dash,
          points: { show: few, size: 4, fill: () => ink(l.ink), stroke: () => ink(l.ink), width: 0 },
        })),
      ],
      cursor: brushing(time),
      hooks: {
        drawClear: [(u) => shadeWarmup(u, time)],
        draw: [(u) => (drawFaults(u, time), drawEvents(u, time, spec.events))],
        setSelect: [(u) => time.brushed(u)],
      },
    },
  });
}

// legendText is what the legend says of a line at an interval.
const legendText = ({ values, remark }, { value }, i) =>
  [values[i] == null ? "" : value(values[i]), remark?.(i)].filter(Boolean).join(", ");

// endOfLine is the label of a line, where its values end. The pale grey is for lines: text
// in it could not be read.
function endOfLine({ label, short, ink, values }, time, log) {
  const last = values.findLastIndex((v) => v > 0 || (v === 0 && !log));
  return last < 0 ? [] : [{ label: short ?? label, ink: ink === "pale" ? "muted" : ink, x: time.middles[last], y: values[last] }];
}

const timeX = (time) => ({ time: false, range: [0, time.end] });

function secondsAxis(labelled) {
  return axis(
    labelled ? { size: 34, values: (u, s) => s.map((v) => v + " s") } : { size: 10, values: () => [], gap: 0 },
  );
}

// brushing lets a drag choose a span of time in any panel. While the mouse moves
// the panels share the cursor only; the span follows when it was chosen.
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

// shadeWarmup greys the warm-up, which does not count.
function shadeWarmup(u, time) {
  if (!(time.warmup > 0)) return;
  const { left, top, height } = u.bbox,
    to = u.valToPos(time.warmup, "x", true);
  u.ctx.save();
  u.ctx.fillStyle = ink("shade");
  u.ctx.fillRect(left, top, to - left, height);
  u.ctx.restore();
}

// drawEvents draws a line at each event, numbered as in the list of events; where a fault
// began it is whole.
function drawEvents(u, time, numbered) {
  const { ctx } = u,
    ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink("bad");
  ctx.lineWidth = ratio;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  let free = -Infinity;
  time.events.forEach((event, i) => {
    const x = Math.round(u.valToPos(event.at_ns / 1e9, "x", true)) + 0.5;
    ctx.setLineDash(event.fault ? [] : [3 * ratio, 3 * ratio]);
    (ctx.beginPath(), ctx.moveTo(x, u.bbox.top), ctx.lineTo(x, u.bbox.top + u.bbox.height), ctx.stroke());
    if (!numbered || x < free) return;
    ctx.fillText(String(i + 1), x + 3 * ratio, u.bbox.top + 10 * ratio);
    free = x + 18 * ratio;
  });
  ctx.restore();
}

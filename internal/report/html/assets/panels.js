// A panel is a chart of lines over time.

// panel draws lines. spec is that of chart, with unit (writes a value on the axis), value (writes
// one in the legend), log, and lines (of {label, short (at its end), values, ink, dash,
// remark(index) (beside its value)}). It returns null if no line has a value.
function panel(host, time, spec) {
  const lines = spec.lines.filter((l) => l.values.some((v) => v != null));
  if (!lines.length) return null;
  const all = lines.flatMap((l) => l.values).filter((v) => v != null && (!spec.log || v > 0));
  const few = time.middles.length < 40;
  const units = { space: 28, incrs: spec.incrs, values: (u, s) => s.map((v) => spec.unit(v)) };
  return chart(host, time, {
    ...spec,
    legend: lines.map((l) => ({ ...l, value: (i) => legendText(l, spec, i) })),
    ends: lines.flatMap((l) => endOfLine(l, time, spec.log)),
    rows: () => [
      ["from_s", "to_s", ...lines.map((l) => l.label)],
      ...time.intervals.map((t, i) => [t.from / 1000, t.to / 1000, ...lines.map((l) => l.values[i])]),
    ],
    data: [time.middles, ...lines.map((l) => (spec.log ? l.values.map((v) => (v > 0 ? v : null)) : l.values))],
    scale: spec.log
      ? { distr: 3, range: () => logRange(Math.min(...all), Math.max(...all)) }
      : { range: () => [0, Math.max(...all) * 1.08 || 1] },
    axis: spec.log ? timeAxis() : axis(units),
    series: lines.map((l) => ({
      stroke: () => ink(l.ink),
      width: l.width ?? 1.5,
      dash: l.dash,
      points: { show: few, size: 4, fill: () => ink(l.ink), stroke: () => ink(l.ink), width: 0 },
    })),
    draw: (u) => drawFaults(u, time),
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

// The timeline of a cell: the response times of each interval, and below them, on
// the same axis, what may explain them.

// newTime makes what the panels of a cell share. When the reader chooses a span,
// it calls chosen with [first, last] interval, or null for the whole window.
function newTime(row, detail, chosen) {
  const { intervals, cell } = detail;
  const time = {
    name: row.id,
    hue: row.hue,
    intervals,
    events: happened(cell),
    faults: (cell.faults ?? []).filter(faultMade),
    panels: [],
    span: null,
    key: "time-" + row.id,
    warmup: cell.plan.settings.warmup_ns / 1e9,
    middles: intervals.map((i) => (i.from + i.to) / 2000),
    end: intervals.length ? intervals[intervals.length - 1].to / 1000 : 1,
    label: () => {},
  };
  time.show = (span) => {
    time.span = span;
    for (const { plot } of time.panels) markSpan(plot, time);
    chosen(span);
  };
  time.brush = (span, step) => {
    choose({ cell: cellKey(row), span: span?.join("-") ?? "" }, step);
    time.show(span);
  };
  time.restore = () => {
    const span = addressedCell() === row ? addressedSpan(intervals.length) : null;
    if (span?.join() !== time.span?.join()) time.show(span);
  };
  time.brushed = (u) => {
    if (time.marking) return;
    const { left, width } = u.select;
    time.brush(width > 0 ? covered(intervals, u.posToVal(left, "x"), u.posToVal(left + width, "x")) : null);
  };
  return time;
}

// covered returns the intervals whose middle is in a span of seconds; if there is
// none, the one that holds the span's start.
function covered(intervals, from, to) {
  const inside = intervals.flatMap((t, i) => {
    const m = (t.from + t.to) / 2000;
    return m >= from && m <= to ? [i] : [];
  });
  if (inside.length) return [inside[0], inside[inside.length - 1]];
  const first = Math.max(intervals.findIndex((t) => t.to / 1000 > from), 0);
  return [first, first];
}

// markSpan selects the span in a panel, from the start to the end of its intervals.
function markSpan(u, time) {
  const x = (ms) => u.valToPos(ms / 1000, "x"),
    [left, right] = time.span ? [x(time.intervals[time.span[0]].from), x(time.intervals[time.span[1]].to)] : [0, 0];
  time.marking = true;
  u.setSelect({ left, top: 0, width: right - left, height: time.span ? u.over.clientHeight : 0 }, false);
  time.marking = false;
}

const valuesOf = (time, f) => time.intervals.map((i) => f(i) ?? null);

// lasting tells whether an interval is long enough for percentiles and for the system's
// clocks. The last one may not be: it has the replies that came after the last second.
const lasting = (t) => t.to - t.from >= 200;

// timeline draws the panels that have data.
function timeline(host, time, detail) {
  const briefs = detail.response.map((s) => (s.index.length ? briefOf(s, detail.cell.response.max_ns) : null));
  const response = (k) => time.intervals.map((t, i) => (k < 2 && !lasting(t) ? null : (briefs[i]?.[k] ?? t.warmup?.[k] ?? null)));
  const add = (made) => made && time.panels.push(made);
  add(
    panel(host, time, {
      title: "Response time of each second",
      hint: time.warmup > 0 ? "grey: warm-up, which does not count" : "",
      name: "timeline",
      height: 230,
      log: true,
      value: timeText,
      events: true,
      last: true,
      lines: [
        { label: "max", values: response(2), ...paler(time.hue), width: 1.5 },
        { label: "p99", values: response(1), ink: `hue-${time.hue}-0`, dash: dashes[1], width: 1.75 },
        { label: "p50", values: response(0), ink: `hue-${time.hue}-0`, dash: [], width: 2.25 },
      ],
    }),
  );
  if (time.panels.length) time.label = spanLabel(time.panels[0].plot, time, detail);
  if (detail.due)
    add(
      panel(host, time, {
        title: "Rate",
        hint: "messages per second: due in this section, and of these come back",
        name: "rate",
        height: 120,
        unit: short,
        value: (v) => short(v) + "/s",
        lines: [
          { label: "due", values: time.intervals.map((t, i) => (lasting(t) ? detail.due[i] : null)), ...own },
          { label: "came back", short: "back", values: time.intervals.map((t, i) => (lasting(t) ? countOf(detail.response[i]) / ((t.to - t.from) / 1000) : null)), ...third },
        ],
      }),
    );
  add(heatmap(host, time, detail));
  add(
    panel(host, time, {
      title: "What delayed the sender",
      hint: "held: the target's client did not take a message; lag: this process sent late; hiccup: it was runnable but not scheduled",
      name: "lag",
      height: 120,
      log: true,
      value: timeText,
      lines: [
        { label: "held max", values: valuesOf(time, (t) => t.held?.[2] || null), ...fourth },
        { label: "lag p99", values: valuesOf(time, (t) => (lasting(t) ? t.lag?.[1] : null)), ...own },
        { label: "lag max", values: valuesOf(time, (t) => t.lag?.[2]), ...wide },
        { label: "hiccup max", values: valuesOf(time, (t) => t.hiccup?.[2]), ...third },
      ],
    }),
  );
  const resources = resourcePanels(time).filter((p) => p.lines.some((l) => l.values.some((v) => v > 0)));
  resources.forEach((p, i) => add(panel(host, time, { height: 88, last: i === resources.length - 1, ...p })));
}

// The lines of machine and process are grey: they are no target's.
const own = { ink: "fg", dash: [] },
  wide = { ink: "pale", dash: [] },
  third = { ink: "muted", dash: dashes[1] },
  fourth = { ink: "fg", dash: dashes[1] };

const timeText = (ns) => time(ns);

// briefOf returns p50, p99 and maximum of an interval.
function briefOf(sparse, max) {
  const histogram = Histogram.merge([sparse]);
  return [50, 99, 100].map((p) => histogram.quantile(p, histogram.count, max).value);
}

// countOf returns how many values an interval has.
const countOf = (sparse) => Histogram.merge([sparse]).count;

// resourcePanels returns what the process and the machine did; counts are per second.
function resourcePanels(time) {
  const usage = (f) => valuesOf(time, (t) => (t.usage && lasting(t) ? f(t.usage) : null));
  const each = (f) =>
    usage((u) => {
      const n = f(u),
        s = (u.to_ns - u.from_ns) / 1e9;
      return n == null || !(s > 0) ? null : n / s;
    });
  const cores = (v) => digits(v) + (v === 1 ? " core" : " cores"),
    per = (write) => (v) => write(v) + "/s";
  return [
    {
      title: "CPU",
      hint: "cores in use",
      name: "cpu",
      unit: (v) => String(+v.toFixed(2)),
      value: cores,
      lines: [
        { label: "machine", values: usage((u) => u.machine?.busy_cores), ...wide },
        { label: "brokerbench", values: usage((u) => u.process.cpu_cores), ...own },
        { label: "steal", values: usage((u) => u.machine?.steal_cores), ...third },
      ],
    },
    {
      title: "Context switches",
      hint: "per second",
      name: "switches",
      unit: short,
      value: per(short),
      lines: [
        { label: "machine", values: each((u) => u.machine?.context_switches), ...wide },
        { label: "brokerbench gave up its core", short: "given up", values: each((u) => u.process.voluntary_switches), ...own },
        { label: "its core was taken", short: "taken", values: each((u) => u.process.involuntary_switches), ...third },
      ],
    },
    {
      title: "Network",
      hint: "bytes per second on all interfaces, loopback included",
      name: "network",
      unit: bytes,
      incrs: base2,
      value: per(bytes),
      lines: [
        { label: "received", values: each((u) => u.machine?.network_received_bytes), ...own },
        { label: "sent", values: each((u) => u.machine?.network_sent_bytes), ...third },
      ],
    },
    {
      title: "Garbage collection of brokerbench",
      hint: "the longest pause of an interval",
      name: "gc",
      unit: tick,
      value: timeText,
      lines: [{ label: "pause", values: usage((u) => u.go.gc_pause_max_ns), ...own }],
    },
  ];
}

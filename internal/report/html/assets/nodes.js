// Nodes over time: what each node of the target did, on the axis of the timeline.

// nodeLabel names a node: those of a ready-made target are called 1, 2, 3.
const nodeLabel = (name) => (/^\d+$/.test(name) ? "node " + name : name);

// endName is what fits at the end of a line: of a long name the end, in which nodes differ.
function endName(label) {
  let end = label;
  while (end && widthOf((end === label ? "" : "…") + end) > 72) end = end.slice(1);
  return (end === label ? "" : "…") + end;
}

// nodeSpan returns what a node did in an interval; null if nobody says. See nodeSpan in Go.
function nodeSpan({ nodes = [] }, n) {
  if (!nodes[n]) return null;
  const [ran, gone, cpu, resident, read, written] = nodes[n];
  return { ran, gone, cpu, resident, read, written };
}

// nodeQuantities are what is known of a node. value returns null if it is not, and in an
// interval in which no process was there.
const nodeQuantities = [
  {
    key: "cpu",
    title: "CPU of each node",
    hint: "cores in use",
    value: ({ cpu, ran }) => (ran > 0 && cpu != null ? cpu / 1e6 / ran : null),
    unit: (v) => String(+v.toFixed(3)),
    write: (v) => digits(v) + (v === 1 ? " core" : " cores"),
    short: "CPU",
  },
  {
    key: "memory",
    title: "Memory of each node",
    hint: "resident; what processes share counts for each",
    value: ({ resident, ran }) => (ran > 0 ? resident : null),
    unit: bytes,
    incrs: base2,
    write: bytes,
    short: "memory",
  },
  { key: "written", title: "Written to files by each node", hint: "bytes per second, whether they are on the disk yet or not", ...perSecond("written"), short: "written", noun: "bytes written" },
  { key: "read", title: "Read from disks by each node", hint: "bytes per second, not from the page cache", ...perSecond("read"), short: "read", noun: "bytes read", seldom: true },
];

// perSecond is a quantity of bytes per second.
function perSecond(name) {
  return {
    value: (s) => (s.ran > 0 && s[name] != null ? (s[name] / s.ran) * 1000 : null),
    unit: bytes,
    incrs: base2,
    write: (v) => bytes(v) + "/s",
  };
}

// nodeCharts draws a panel for each quantity that is known, below a heading. All share the
// timeline's axis, cursor and span.
function nodeCharts(host, time, found) {
  const { nodes = [], intervals } = found;
  if (!nodes.length) return;
  const spans = nodes.map((_, n) => intervals.map((t) => nodeSpan(t, n)));
  const lines = (quantity) =>
    nodes.map((name, n) => ({
      label: nodeLabel(name),
      short: endName(nodeLabel(name)),
      values: spans[n].map((s, i) => (s && lasting(intervals[i]) ? quantity.value(s) : null)),
      remark: (i) => goneText(spans[n][i]),
      ...peer(time.hue, n),
    }));
  const panels = nodeQuantities
    .map((q) => ({ ...q, lines: lines(q) }))
    .filter(({ seldom, lines }) => lines.some((l) => l.values.some((v) => (seldom ? v > 0 : v != null))));
  const gone = spans.some((list) => list.some((s) => s?.gone > 0));
  host.append(h("h3", null, "Nodes over time"), nodeRemarks(found, spans));
  panels.forEach((p, i) =>
    time.panels.push(
      panel(host, time, {
        title: p.title,
        hint: p.hint + (gone && i === 0 ? "; a gap: no process of the node was there" : ""),
        name: "nodes-" + p.key,
        height: Math.min(Math.max(88, 40 + endStep * nodes.length), 240),
        unit: p.unit,
        incrs: p.incrs,
        value: p.write,
        events: i === 0,
        last: i === panels.length - 1,
        lines: p.lines,
      }),
    ),
  );
  host.append(h("div", { id: "node-table" }));
}

// goneText says that a node was not there, for all of an interval or a part of it.
function goneText(s) {
  if (!s) return "not known";
  if (!s.gone) return "";
  return s.ran ? `no process for ${seconds(s.gone)} s` : "no process";
}

// nodeRemarks says what the charts do not show.
function nodeRemarks({ nodes, more_nodes: more }, spans) {
  const unknown = nodeQuantities.map(({ short, noun, value }) => {
    const of = nodes.filter((_, n) => spans[n].some((s) => s?.ran > 0) && !spans[n].some((s) => s && value(s) != null));
    return of.length && `${noun ?? short} of ${of.length === nodes.length ? "any node" : of.map(nodeLabel).join(", ")}`;
  });
  const never = nodes.filter((_, n) => spans[n].some(Boolean) && !spans[n].some((s) => s?.ran > 0));
  return h(
    "p",
    { class: "hint", id: "node-remarks" },
    [
      more > 0 && `The first ${nodes.length} of ${nodes.length + more} nodes: nodes.csv has all.`,
      never.length && `No process of ${never.map(nodeLabel).join(", ")} was ever seen.`,
      `Not known: ${[...unknown.filter(Boolean), "fsyncs, which Linux does not count for a process"].join("; ")}.`,
    ]
      .filter(Boolean)
      .join(" "),
  );
}

// nodeTable says in numbers what the charts show of a span, or of the window: the mean over
// the time in which a node ran, and the most of an interval.
function nodeTable({ nodes, intervals, cell }, span) {
  const { warmup_ns: warmup, duration_ns: duration } = cell.plan.settings;
  const counts = (t, i) => {
    const middle = ((t.from + t.to) / 2) * 1e6;
    return span ? i >= span[0] && i <= span[1] : middle >= warmup && middle < warmup + duration;
  };
  const inside = intervals.filter(counts);
  const row = (name, n) => {
    const all = inside.map((t) => ({ t, s: nodeSpan(t, n) })).filter(({ s }) => s);
    const sum = all.reduce(addSpans, { ran: 0, gone: 0, cpu: 0, read: 0, written: 0 });
    const most = (q) => all.filter(({ t }) => lasting(t)).reduce((most, { s }) => larger(most, q.value(s)), null);
    const number = (v, { write }) => h("td", null, v != null ? write(v) : all.length && !sum.ran ? "–" : "?");
    return [
      nodeLabel(name),
      ...nodeQuantities.flatMap((q) => [q.key !== "memory" && number(q.value(sum), q), number(most(q), q)]).filter(Boolean),
      h("td", { class: sum.gone > 0 && "unknown" }, all.length ? seconds(sum.gone) + " s" : "?"),
    ];
  };
  const heads = nodeQuantities.flatMap(({ key, short }) => [key !== "memory" && short, short + ", most"]).filter(Boolean);
  const caption = `What each node did in the ${span ? "span" : "window"}: the mean while it ran, and the most of an interval`;
  return numbers(caption, ["node", ...heads, "without a process"], nodes.map(row), { class: "numbers nodes" });
}

// addSpans adds what a node did in an interval. What is unknown while it ran is unknown.
function addSpans(sum, { s }) {
  const plus = (key) => (s.ran === 0 ? sum[key] : sum[key] == null || s[key] == null ? null : sum[key] + s[key]);
  return { ran: sum.ran + s.ran, gone: sum.gone + s.gone, cpu: plus("cpu"), read: plus("read"), written: plus("written") };
}

const larger = (most, v) => (v == null || most > v ? most : v);

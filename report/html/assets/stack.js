// The probes of each cell as a stack: when its messages were handed to the client, on the
// socket, acknowledged and delivered. Each bar ends at the chosen percentile of that probe's
// own distribution, from due: the parts of a bar are no percentiles of anything. It is a table,
// with the numbers beside the bars.

// stackProbes are results.Probes; ink is the shade of the target's hue, and in the key a grey.
const stackProbes = [
  { key: "lag", title: "lag", about: "handed to the client, of messages that had a free slot", shade: 1, ink: "fg" },
  { key: "published", title: "published", about: "on the socket", shade: 0, ink: "muted" },
  { key: "ack", title: "acknowledged", about: "the target took responsibility for it", shade: 2, ink: "pale" },
  { key: "response", title: "delivered", about: "it came back", shade: 4, ink: "rule" },
];
const stackPercentiles = ["50", "99", "99.9", "100"];
const stackState = { percentile: "99", log: null, all: false }; // log: null is what suits the bars

// stacks fills the host, and returns whether there is anything that the answer does not have:
// lag and response alone are everywhere.
function stacks(host, list) {
  const groups = answered(list),
    all = groups.flatMap((g) => g.series);
  const probes = stackProbes.filter((p) => all.some((s) => s[p.key]));
  if (!all.some((s) => s.published || s.ack)) return host.replaceChildren(), false;
  const shown = stackState.all ? groups : firstGroups(groups);
  const redraw = (change) => (Object.assign(stackState, change), stacks(host, list));
  const view = stackView(shown, probes),
    name = percentile(+stackState.percentile);
  const controls = [
    choice("Percentile", stackPercentiles.map((p) => [p, percentile(+p)]), stackState.percentile, (p) => redraw({ percentile: p })),
    choice("Time", latencies, view.log, (log) => redraw({ log })),
  ];
  const title = "Probes at " + name,
    hint = "from the moment each message was due; numbers in ms";
  const above = caption({ title, hint, controls, name: "probes", rows: () => stackRows(view) }, () => stackPNG(view, `${title} (ms), ${hint.split(";")[0]}`));
  const more = h("button", { type: "button", onclick: () => redraw({ all: true }) }, `Show all ${count(groups.length)} shapes`);
  const means = `Each bar ends at ${name} of its own probe: what lies between two ends is no percentile, and they do not add up.`,
    log = view.log ? " A length is a factor, not a time: the axis is logarithmic." : "";
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title, "aria-describedby": "probes-mean" }, stackTable(view));
  show(host, h("figure", { class: "stack", "data-chart": "probes" }, above, h("p", { class: "hint", id: "probes-mean" }, means + log), table), shown.length < groups.length && h("p", null, more), stackKey(view));
  return true;
}

// stackView is what is drawn: the groups, the probes that any of them has, and the axis.
function stackView(groups, probes) {
  const all = groups.flatMap((g) => g.series);
  const tops = all.map((s) => Math.max(...probes.map((p) => stackEnd(s, p).ns ?? 0))).filter((v) => v > 0);
  const log = stackState.log ?? Math.max(...tops) > 20 * Math.min(...tops);
  const ends = all.flatMap((s) => probes.map((p) => stackEnd(s, p).ns)).filter((v) => v > 0);
  const [low, high] = log ? logRange(Math.min(...ends), Math.max(...ends)) : [0, Math.max(...ends, 1) * 1.02];
  const at = (ns) => 100 * (log ? Math.log(Math.max(ns, low) / low) / Math.log(high / low) : ns / high);
  return { groups, probes, log, at, marks: log ? logSplits(low, high, 200) : evenSplits(high) };
}

// evenSplits returns a few numbers on an axis from 0: 1, 2 or 5 times a power of ten apart.
function evenSplits(high) {
  const power = 10 ** Math.floor(Math.log10(high / 7)),
    step = [1, 2, 5, 10].find((f) => f * power >= high / 7) * power;
  return Array.from({ length: Math.floor(high / step + 1e-9) + 1 }, (_, i) => i * step);
}

// stackEnd returns where the bar of a probe ends: {ns, known, limit}, without ns if there is none.
// Of an unknown response the longest reply is known.
function stackEnd(s, { key }) {
  const q = s[key]?.[stackState.percentile];
  if (!q) return {};
  if (q.ns != null) return { ns: q.ns, known: true, limit: limitOf(q) };
  return { ns: key === "response" ? s.max_ns : null, known: false };
}

function stackTable(view) {
  const { groups, probes } = view;
  const head = h(
    "tr",
    null,
    h("th", { scope: "col" }, "target"),
    h("th", { class: "lane" }, stackAxis(view)),
    probes.map((p) => h("th", { scope: "col", title: p.about }, swatch({ ink: p.ink, width: 8 }), p.title)),
  );
  const body = groups.map((g) =>
    h(
      "tbody",
      null,
      h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: probes.length + 2 }, shape(g.series[0]))),
      g.series.map((s) => stackRow(s, view)),
    ),
  );
  return h("table", { class: "stacks" }, h("thead", null, head), body);
}

// stackKey says what the signs mean that are there.
function stackKey({ groups, probes }) {
  const ends = groups.flatMap((g) => g.series).flatMap((s) => probes.map((p) => stackEnd(s, p)));
  const texts = [
    "lag counts messages that had a free slot; in what follows is all waiting",
    ends.some((e) => e.known && e.limit) && "○ and ~: of limited use",
    ends.some((e) => e.known === false) && "× and ?: unknown, messages are missing",
    ends.some((e) => e.known == null) && "–: nobody tells, or nothing is acknowledged",
  ];
  return h("p", { class: "hint key" }, texts.filter(Boolean).map((text) => h("span", { class: "sample" }, text)));
}

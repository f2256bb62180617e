// One row of the stacks: a name, a bar, the numbers. Places are in percent, so that a bar is as
// wide as the table lets it be.

const laneHeight = 22,
  barHeight = 12;

function stackRow(s, view) {
  const open = h("button", { type: "button", class: "open", onclick: () => openCell(s.cells[0], true) }, nameOf(s));
  return h(
    "tr",
    { "data-target": s.target },
    h("th", { scope: "row" }, open, s.verdict !== "valid" && [" ", badge(s.verdict)]),
    h("td", { class: "lane" }, stackBar(s, view)),
    view.probes.map((p) => stackField(s, p)),
  );
}

// stackBar draws the bars of the probes on each other, the longest at the bottom. What it shows
// is in the numbers, too. A line with a cross is for what is unknown.
function stackBar(s, view) {
  const root = svg("svg", { "aria-hidden": "true" });
  stackGrid(root, view);
  const top = (laneHeight - barHeight) / 2,
    ends = stackEnds(s, view);
  if (ends.some((e) => !e.known)) svg("line", { class: "reach", x1: 0, x2: "100%", y1: laneHeight / 2, y2: laneHeight / 2 }, root).style.setProperty("stroke", `var(--hue-${s.hue}-0)`);
  for (const { p, to } of ends.filter((e) => e.known)) {
    const bar = svg("rect", { class: "probe", "data-probe": p.key, x: 0, y: top, width: to + "%", height: barHeight }, root);
    bar.style.setProperty("fill", `var(--hue-${s.hue}-${p.shade})`);
    svg("line", { class: "end", x1: to + "%", x2: to + "%", y1: top, y2: top + barHeight }, root);
  }
  if (ends.some((e) => !e.known)) svg("text", { class: "cross", x: "100%", y: laneHeight / 2 + 5, "text-anchor": "end" }, root, "×");
  for (const { to, known, limit } of ends) {
    if (known && limit) svg("circle", { class: "few", cx: to + "%", cy: laneHeight / 2, r: 3.2 }, root);
  }
  return root;
}

// stackEnds returns where bars end, in percent, the longest first. One that is unknown has no end.
function stackEnds(s, { probes, at }) {
  const round = (v) => Math.round(100 * Math.min(Math.max(v, 0), 100)) / 100;
  return probes
    .map((p) => ({ p, ...stackEnd(s, p) }))
    .filter((e) => e.known != null)
    .map((e) => ({ ...e, to: e.known ? round(at(e.ns)) : 100 }))
    .sort((a, b) => b.to - a.to || stackProbes.indexOf(b.p) - stackProbes.indexOf(a.p));
}

function stackGrid(root, { marks, at }) {
  marks.forEach((v) => svg("line", { class: "grid", x1: at(v) + "%", x2: at(v) + "%", y1: 0, y2: laneHeight }, root));
}

// stackAxis is the axis above the bars.
function stackAxis(view) {
  const root = svg("svg", { "aria-hidden": "true" });
  view.marks.forEach((v) => {
    const to = view.at(v),
      anchor = to < 2 ? "start" : to > 94 ? "end" : "middle";
    svg("text", { x: to + "%", y: laneHeight - 5, "text-anchor": anchor }, root, tick(v));
  });
  return root;
}

function stackField(s, p) {
  const q = s[p.key]?.[stackState.percentile];
  if (!q) return h("td", { title: p.key === "ack" ? "acknowledges nothing" : "the client does not tell" }, "–");
  const text = stackText(s, p),
    limit = limitOf(q);
  return h("td", { class: q.ns == null ? "unknown" : limit && "few", title: q.ns == null ? "unknown: messages are missing" : limit && "limited by " + limit }, text);
}

// stackText writes the number of a probe in ms, with its mark.
function stackText(s, p) {
  const q = s[p.key]?.[stackState.percentile];
  if (p.key === "response") return quantileText(q, s, stackState.percentile);
  if (!q) return "–";
  return q.ns == null ? "?" : (q.trusted ? "" : "~") + millis(q.ns);
}

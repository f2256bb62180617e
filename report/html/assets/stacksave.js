// The stacks are saved as the other charts are: as CSV, and as PNG.

function stackRows({ groups, probes }) {
  const head = ["run", "target", "rate_per_s", "size_bytes", "connections", "in_flight", "arrivals", "repeats", "verdict", "percentile"];
  const numbers = probes.flatMap(({ title }) => [title + "_ns", title + "_limited_by"]);
  const line = (s) => [
    ...[runName(s.run), s.target, s.rate, s.size, s.connections, s.in_flight, s.arrivals, s.repeats, s.verdict, +stackState.percentile],
    ...probes.flatMap((p) => [s[p.key]?.[stackState.percentile]?.ns, limitOf(s[p.key]?.[stackState.percentile])]),
  ];
  return [[...head, ...numbers], ...groups.flatMap((g) => g.series).map(line)];
}

// stackPNG draws the table once more, on a canvas.
function stackPNG(view, title) {
  const { groups, probes, marks, at } = view;
  const names = 240,
    lane = 560,
    column = 96,
    lines = groups.reduce((n, g) => n + g.series.length + 1, 1),
    ratio = Math.min(devicePixelRatio, 16000 / (lines * laneHeight)); // a canvas has an end
  const canvas = h("canvas", { width: ratio * (names + lane + column * probes.length), height: ratio * lines * laneHeight });
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.textBaseline = "middle";
  let y = laneHeight / 2;
  const write = (text, x, { color = "fg", align = "left", weight = "" } = {}) => {
    ctx.font = `${weight} 12px system-ui, sans-serif`;
    ctx.textAlign = align;
    ctx.fillStyle = ink(color);
    ctx.fillText(text, x, y, align === "left" ? names - 10 : column - 8);
  };
  const right = (i) => names + lane + column * (i + 1);
  marks.forEach((v) => write(tick(v), names + (lane * at(v)) / 100, { color: "muted", align: "center" }));
  probes.forEach((p, i) => write(p.title, right(i), { color: "muted", align: "right" }));
  for (const g of groups) {
    y += laneHeight;
    write(shape(g.series[0]), 0, { weight: "600" });
    for (const s of g.series) {
      y += laneHeight;
      write(nameOf(s) + doubt(s), 0);
      for (const { p, to, known } of stackEnds(s, view)) {
        ctx.fillStyle = ink(`hue-${s.hue}-${p.shade}`);
        ctx.fillRect(names, y - (known ? barHeight : 1) / 2, (lane * to) / 100, known ? barHeight : 1);
      }
      probes.forEach((p, i) => write(stackText(s, p), right(i), { align: "right" }));
    }
  }
  savePNG(picture(canvas, title, probes.map((p) => ({ label: `${p.title}: ${p.about}`, ink: p.ink }))), "probes");
}

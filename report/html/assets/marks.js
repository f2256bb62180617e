// The percentile chart draws by hand what uPlot has no series for: lines that turn
// faint where too few messages rank above, bands, hollow points.

// clipped draws within the plotting area, in canvas pixels.
function clipped(u, draw) {
  const { left, top, width, height } = u.bbox,
    slack = 6 * devicePixelRatio;
  u.ctx.save();
  (u.ctx.beginPath(), u.ctx.rect(left - slack, top - slack, width + 2 * slack, height + slack), u.ctx.clip());
  u.ctx.lineJoin = "round";
  draw();
  u.ctx.restore();
}

// drawCurve draws a line, faint from where fewer than minAbove messages rank above.
function drawCurve(u, c, xs, ys) {
  const path = (from, to) => {
    u.ctx.beginPath();
    let pen = false;
    xs.forEach((x, i) => {
      if (ys[i] == null || x < from - 1e-6 || x > to + 1e-6) return;
      const at = [u.valToPos(x, "x", true), u.valToPos(ys[i], "y", true)];
      pen ? u.ctx.lineTo(...at) : u.ctx.moveTo(...at);
      pen = true;
    });
    u.ctx.stroke();
  };
  u.ctx.strokeStyle = ink(c.ink);
  u.ctx.lineWidth = (c.width ?? 2) * devicePixelRatio;
  u.ctx.setLineDash(c.dash.map((d) => d * devicePixelRatio));
  path(0, c.relied);
  u.ctx.globalAlpha = 0.45;
  path(c.relied, c.known);
  u.ctx.globalAlpha = 1;
  u.ctx.setLineDash([]);
}

// drawPoints marks the listed percentiles: hollow where they are of limited use, or fewer
// than minAbove messages rank above. The maximum is a square; a triangle stands where missing messages
// begin.
function drawPoints(u, c) {
  if (c.plain || !c.histogram.count) return;
  const { ctx } = u,
    r = 3 * devicePixelRatio;
  ctx.strokeStyle = ink(c.ink);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  const mark = (x, y, full, path) => {
    (ctx.beginPath(), path(u.valToPos(x, "x", true), u.valToPos(y, "y", true)));
    ctx.fillStyle = full ? ink(c.ink) : ink("bg");
    (ctx.fill(), ctx.stroke());
  };
  for (const p of c.points) mark(p.x, p.value, p.above >= minAbove && !c.limited?.has(p.p), (x, y) => ctx.arc(x, y, r, 0, 7));
  const last = valueAt(c, c.known - 1e-6);
  if (c.missing)
    mark(
      c.known,
      last,
      false,
      (x, y) => (ctx.moveTo(x - 1.6 * r, y), ctx.lineTo(x, y - 2.6 * r), ctx.lineTo(x + 1.6 * r, y), ctx.closePath()),
    );
  else mark(c.known, c.max, !c.limited?.has(100), (x, y) => ctx.rect(x - r, y - r, 2 * r, 2 * r));
}

// drawBand fills what a curve is uncertain by: between the lowest and the highest repeat,
// or within the 95 % confidence. Where nothing bounds it from above, up to the line.
function drawBand(u, c, xs, ys) {
  const points = xs.map((x, i) => [x, ...(boundsAt(c, x, ys[i]) ?? [])]).filter((p) => p.length > 1);
  const at = (x, y) => u.ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(y, "y", true));
  u.ctx.beginPath();
  points.forEach(([x, low]) => at(x, low));
  points.reverse().forEach(([x, , high]) => at(x, high));
  u.ctx.closePath();
  u.ctx.fillStyle = ink(c.ink);
  u.ctx.globalAlpha = 0.16;
  u.ctx.fill();
  u.ctx.globalAlpha = 1;
}

// boundsAt returns the bounds of a curve's value y at x, or null.
function boundsAt(c, x, y) {
  if (y == null) return null;
  const [low, high] = (c.parts ? spreadAt(c, x) : band(c, x)?.map((factor) => factor * y)) ?? [];
  return low > 0 ? [low, high < Infinity ? high : y] : null;
}

function drawFloor(u, f) {
  const { ctx } = u;
  ctx.beginPath();
  f.points.forEach((r) => ctx.lineTo(u.valToPos(nines(r.percentile), "x", true), u.valToPos(r.value_ns, "y", true)));
  ctx.strokeStyle = ink("muted");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
  ctx.stroke();
  ctx.setLineDash([]);
}

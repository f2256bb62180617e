// Labels at the ends of lines: a line is named where it is looked at. Those that would
// overlap move apart, and a thin line leads to the end that each belongs to.

const ruler = document.createElement("canvas").getContext("2d");
const endsFrom = 640, // a chart that is narrower has its legend alone
  mostEndWidth = 190;

// widthOf returns how wide a text is, in pixels of the page.
function widthOf(text, how = font) {
  ruler.font = how;
  return ruler.measureText(text).width;
}

// clip shortens a text to a width.
function clip(text, width, how = font) {
  if (widthOf(text, how) <= width) return text;
  let short = text;
  while (short && widthOf(short + "…", how) > width) short = short.slice(0, -1);
  return short + "…";
}

const endStep = 15;
const fits = (u, ends) => (u.width ?? endsFrom) >= endsFrom && ends.length * endStep <= (u.height ?? 0) - 40;

// spread moves sorted positions apart, so that neighbours have a distance and all are
// between low and high.
function spreadOut(positions, distance, low, high) {
  const out = [];
  positions.forEach((y, i) => out.push(Math.max(y, i ? out[i - 1] + distance : low)));
  for (let i = out.length - 1, limit = high; i >= 0; i--, limit = out[i + 1] - distance) out[i] = Math.min(out[i], limit);
  return out;
}

// drawEnds draws the labels of ends, each {label, ink, x, y} with the end of its line.
function drawEnds(u, ends) {
  if (!ends.length || !fits(u, ends)) return;
  const ratio = devicePixelRatio,
    { ctx, bbox } = u,
    right = bbox.left + bbox.width + 20 * ratio;
  const sorted = ends
    .map((e) => ({ ...e, px: u.valToPos(e.x, "x", true), py: u.valToPos(e.y, "y", true) }))
    .sort((a, b) => a.py - b.py);
  const at = spreadOut(sorted.map((e) => e.py), endStep * ratio, bbox.top, bbox.top + bbox.height);
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.lineWidth = ratio;
  sorted.forEach((e, i) => {
    ctx.strokeStyle = ctx.fillStyle = ink(e.ink);
    ctx.globalAlpha = 0.5;
    (ctx.beginPath(), ctx.moveTo(e.px + 6 * ratio, e.py), ctx.lineTo(right - 12 * ratio, at[i]), ctx.lineTo(right - 4 * ratio, at[i]), ctx.stroke());
    ctx.globalAlpha = 1;
    ctx.fillText(clip(e.label, mostEndWidth), right, at[i]);
  });
  ctx.restore();
}

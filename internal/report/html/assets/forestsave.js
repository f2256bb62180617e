// The forest plot is saved as the other charts are: as CSV, and as PNG.

// forestRows returns the rows that are shown, for CSV.
function forestRows(groups) {
  const head = ["run", "target", "rate_per_s", "size_bytes", "connections", "in_flight", "arrivals", "repeats", "verdict"];
  const numbers = ["p50_ns", "p50_limited_by", "p99_ns", "p99_low_ns", "p99_high_ns", "p99_limited_by", "max_ns", "missing", "floor_p99_ns"];
  const line = (s) => {
    const { 50: p50, 99: p99, 100: max } = s.response;
    return [
      ...[runName(s.run), s.target, s.rate, s.size, s.connections, s.in_flight, s.arrivals, s.repeats, s.verdict],
      ...[p50?.ns, limitOf(p50), p99?.ns, p99?.low, p99?.high, limitOf(p99), max?.ns, s.ledger.due - s.ledger.done, s.floor_ns || null],
    ];
  };
  return [[...head, ...numbers], ...groups.flatMap((g) => g.series).map(line)];
}

const shownStyles = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "font-size", "font-family"];

// imageOf makes an image of a drawing. What the style sheet says of it goes with it, as
// attributes: a style in it would be against the page's policy.
async function imageOf(drawing) {
  const copy = drawing.cloneNode(true);
  const elements = copy.querySelectorAll("*");
  drawing.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(element);
    shownStyles.forEach((name) => elements[i].setAttribute(name, style.getPropertyValue(name)));
  });
  copy.querySelectorAll(".hit, title").forEach((e) => e.remove());
  const image = new Image();
  image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  await image.decode();
  return image;
}

// forestPNG saves the parts below one another, each under the name of its shape.
async function forestPNG(parts, title) {
  const images = await Promise.all(parts.map((part) => imageOf(part.querySelector("svg"))));
  const scale = devicePixelRatio,
    headHeight = 24;
  const canvas = h("canvas", {
    width: scale * Math.max(...images.map((i) => i.width)),
    height: scale * images.reduce((sum, i) => sum + i.height + headHeight, 0),
  });
  const ctx = canvas.getContext("2d");
  ctx.scale(scale, scale);
  ctx.font = "600 13px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.fillStyle = ink("fg");
  let y = 0;
  images.forEach((image, i) => {
    ctx.fillText(parts[i].querySelector("h3").textContent, 0, y + headHeight / 2);
    ctx.drawImage(image, 0, y + headHeight);
    y += headHeight + image.height;
  });
  const key = [...document.querySelectorAll("#forest .key .sample")].map((e) => ({ label: e.textContent }));
  savePNG(picture(canvas, title, key), "answer");
}

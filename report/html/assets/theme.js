// Colours and dashes. Those of curves come from package palette, as does the hue
// of each target; what belongs to no target is grey.

const dark = matchMedia("(prefers-color-scheme: dark)");
const { shades, dashes } = report;
const curveLimit = shades * dashes.length;

// nth is the style of the n-th line of a hue: palette.Nth. A style is the name of
// an ink and a dash.
const nth = (hue, n) => ({
  ink: `hue-${hue}-${Math.floor(n / dashes.length) % shades}`,
  dash: dashes[n % dashes.length],
});

// member is the style of the i-th line of a family of lines: palette.Member.
const member = (hue, n, i, size) => ({
  ink: `hue-${hue}-${n % shades}`,
  dash: dashes[(i + size * Math.floor(n / shades)) % dashes.length],
});

// paler is the shade of a maximum.
const paler = (hue) => ({ ink: `hue-${hue}-4`, dash: [] });

// ink returns a colour of the style sheet, as it is now.
const ink = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

// Charts are drawn again when the reader switches between light and dark.
const live = new Set();
dark.addEventListener("change", () => {
  for (const chart of live) chart.recolour();
});

// cividis is a ramp from few to many that needs no sense of colour; t is 0 to 1.
const ramp = [
  [0, 34, 78],
  [33, 61, 107],
  [77, 87, 109],
  [112, 113, 115],
  [146, 140, 118],
  [183, 169, 106],
  [222, 199, 79],
  [254, 232, 56],
];
function cividis(t) {
  const at = Math.min(Math.max(dark.matches ? 0.2 + 0.8 * t : 1 - t, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(at), ramp.length - 2);
  const mixed = ramp[i].map((from, c) => Math.round(from + (ramp[i + 1][c] - from) * (at - i)));
  return `rgb(${mixed.join(",")})`;
}

// swatch is the sample of a line in a legend.
function swatch({ ink, dash = [], width = 2.5 }) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const set = (e, list) => Object.entries(list).forEach(([k, v]) => e.setAttribute(k, v));
  set(svg, { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true", class: "swatch" });
  set(line, { x1: 0, x2: 26, y1: 5, y2: 5, "stroke-width": width, "stroke-dasharray": dash.join(" ") });
  line.style.stroke = `var(--${ink})`;
  svg.append(line);
  return svg;
}

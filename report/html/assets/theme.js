// Colours. Those of curves are Okabe and Ito's, which the colour-blind can tell
// apart, lighter on a dark page; after eight of them come dashes.

const dark = matchMedia("(prefers-color-scheme: dark)");
const palette = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b3508a", "#c98500", "#3d9fd6", "#6b4c9a", "#5a5a5a"],
  dark: ["#4fb0f0", "#ff8a47", "#2fce9f", "#e79bc8", "#f2b83b", "#9bd7fa", "#b79cec", "#bdbdbd"],
};
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const curveLimit = palette.light.length * dashes.length;

const hue = (slot) => palette[dark.matches ? "dark" : "light"][slot % 8];
const dash = (slot) => dashes[Math.floor(slot / 8) % dashes.length];

// ink returns a colour of the style sheet, as it is now.
const ink = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

// Charts draw themselves again when the reader changes to dark or light.
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
function swatch(slot, extra = {}) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const set = (e, list) => Object.entries(list).forEach(([k, v]) => e.setAttribute(k, v));
  set(svg, { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true", class: "swatch" });
  set(line, {
    x1: 0,
    x2: 26,
    y1: 5,
    y2: 5,
    "stroke-width": extra.width ?? 2.5,
    "stroke-dasharray": (extra.dash ?? dash(slot)).join(" "),
  });
  line.setAttribute("class", extra.ink ? "ink-" + extra.ink : "hue-" + (slot % 8));
  svg.append(line);
  return svg;
}

// Colours and dashes. Those of curves come from package palette, as does the hue
// of each target; what belongs to no target is grey.

const dark = matchMedia("(prefers-color-scheme: dark)");
const { shades, dashes } = report;

// peer is the style of the i-th of lines that are equals, such as nodes: palette.Peer. A style
// is the name of an ink and a dash.
const peer = (hue, i) => ({
  ink: `hue-${hue}-${i < 3 * dashes.length ? [0, 1, 3][i % 3] : [2, 4][i % 2]}`,
  dash: dashes[i % dashes.length],
});

// paler is the shade of a maximum.
const paler = (hue) => ({ ink: `hue-${hue}-4`, dash: [] });

// ink returns a colour of the style sheet, as it is now.
const ink = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

// Charts are drawn again when the reader switches between light and dark.
dark.addEventListener("change", () => opened?.time.panels.forEach(({ plot }) => plot.redraw(false, true)));

// heat is a ramp from few to many by lightness alone, in the hue of a target, as it is
// now: a function of 0 to 1.
function heat(hue) {
  const [bg, own, fg] = ["bg", `hue-${hue}-0`, "fg"].map((name) => rgb(ink(name)));
  const mix = (from, to, way) => from.map((v, i) => Math.round(v + (to[i] - v) * way));
  const mixed = (t) => (t < 0.65 ? mix(bg, own, 0.18 + (0.82 * t) / 0.65) : mix(own, fg, ((t - 0.65) / 0.35) * 0.7));
  return (t) => `rgb(${mixed(t).join(",")})`;
}

// rgb reads a colour of six hexadecimal digits.
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// swatch is the sample of a line in a legend.
function swatch({ ink, dash = [], width = 2.5 }) {
  const root = svg("svg", { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true", class: "swatch" });
  const line = svg("line", { x1: 0, x2: 26, y1: 5, y2: 5, "stroke-width": width, "stroke-dasharray": dash.join(" ") }, root);
  line.style.stroke = `var(--${ink})`;
  return root;
}

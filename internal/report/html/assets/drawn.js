// Charts that brokerbench drew when it wrote the page: each is an SVG in a blob of its own,
// which is unpacked when it is first shown.

const mostCharts = 6; // of a section, unless more are asked for
const drawnState = {}; // by section: {variant, all, call}

// drawing makes an element of an SVG.
const drawing = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

const figureOf = (section, id, picture) => h("figure", { class: "scroll drawn", id: "figure-" + id, "data-chart": section }, picture);

// drawnCharts shows the charts of a section that have a series of the list, and hides the
// section if there is none. If the list changes meanwhile it gives up: the later call shows
// those.
async function drawnCharts(section, list) {
  const state = (drawnState[section] ??= {}),
    call = (state.call = {});
  const cells = new Set(list.flatMap((s) => s.cells.map((c) => c.number)));
  const all = report.charts.map((chart, number) => ({ ...chart, number })).filter((c) => c.section === section && c.cells.some((n) => cells.has(n)));
  byID(section + "-section").hidden = !all.length;
  if (!all.length) return byID(section).replaceChildren();
  const variants = [...new Set(all.map((c) => c.variant))];
  if (!variants.includes(state.variant)) state.variant = variants[0];
  const chosen = all.filter((c) => c.variant === state.variant),
    some = state.all ? chosen : chosen.slice(0, mostCharts);
  const pictures = await Promise.all(some.map(async ({ number }) => drawing(new TextDecoder().decode(await inflate("chart-" + number)))));
  if (state.call !== call) return;
  const redraw = (change) => (Object.assign(state, change), drawnCharts(section, list));
  show(
    byID(section),
    variants.length > 1 && h("div", { class: "bar" }, choice("Show", variants.map((v) => [v, v]), state.variant, (variant) => redraw({ variant }))),
    some.map(({ number }, i) => figureOf(section, number, pictures[i])),
    some.length < chosen.length && h("p", null, h("button", { type: "button", onclick: () => redraw({ all: true }) }, `Show all ${count(chosen.length)} charts`)),
  );
}

// The page: its sections in their order, and what brings them back to what the address
// says.

// drawShown draws what depends on which rows the table shows. It returns a promise.
function drawShown(list) {
  byID("answer").hidden = !answers(byID("forest"), list);
  byID("probes-section").hidden = !stacks(byID("probes"), list);
  byID("rates-section").hidden = !rateChart(byID("rates"), list.filter((s) => s.measured));
  const none = !list.some((s) => s.measured);
  byID("percentiles-section").hidden = none;
  byID("cell").hidden = !opened && none;
  document.querySelectorAll("nav a").forEach((a) => (a.hidden = byID(a.hash.slice(1)).hidden));
  return selection.set(firstOf(list));
}

// restore shows what the address says: after the back button, and when the page opens.
async function restore(go) {
  const row = addressedCell() ?? series.find((s) => s.measured)?.cells[0];
  if (row && row !== opened?.row) await openCell(row, go && address.cell !== "");
  opened?.time.restore();
}

async function open() {
  show(byID("title"), report.runs.map((r) => r.name).join(" · "));
  show(byID("summary"), summary());
  byID("searches").hidden = !searchTable(byID("searches"));
  show(byID("runs"), h("h2", null, report.runs.length > 1 ? "Runs" : "Run"), report.runs.map(runFacts));
  show(byID("overview-bar"), overviewBar());
  selection.changed.push(drawOverview);
  const table = cellTable(byID("cells"), drawShown);
  await restore(performance.getEntriesByType("navigation")[0]?.type === "navigate");
  await drawShown(table.shown());
  addEventListener("popstate", () => (readAddress(), table.restore(), restore(true)));
  document.querySelectorAll("nav a").forEach((a) =>
    a.addEventListener("click", (event) => (event.preventDefault(), byID(a.hash.slice(1)).scrollIntoView())),
  );
}

open().then(() => {
  performance.mark("ready");
  document.documentElement.setAttribute("data-ready", "");
});

// The page: its sections in their order, and what brings them back to what the address
// says.

// drawShown draws what depends on which rows the table shows. It returns a promise.
function drawShown(list) {
  byID("answer").hidden = !answers(byID("forest"), list);
  byID("cell").hidden = !opened && !list.some((s) => s.measured);
  const drawn = Promise.all(["probes", "percentiles", "rates"].map((section) => drawnCharts(section, list)));
  document.querySelectorAll("nav a").forEach((a) => (a.hidden = byID(a.hash.slice(1)).hidden));
  return drawn;
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
  byID("pairs").hidden = !pairTable(byID("pairs"));
  byID("searches").hidden = !searchTable(byID("searches"));
  const conditions = h("summary", null, h("h2", null, report.runs.length > 1 ? "Runs" : "Run"));
  show(byID("runs"), h("details", null, conditions, report.runs.map(runFacts)));
  const table = cellTable(byID("cells"), drawShown);
  await restore(performance.getEntriesByType("navigation")[0]?.type === "navigate");
  await drawShown(table.shown());
  addEventListener("popstate", () => (readAddress(), table.restore(), restore(true)));
  document.querySelectorAll("nav a").forEach((a) =>
    a.addEventListener("click", (event) => (event.preventDefault(), goTo(byID(a.hash.slice(1))))),
  );
}

// goTo shows a section, whose details may be closed.
function goTo(section) {
  section.querySelector(":scope > details")?.setAttribute("open", "");
  section.scrollIntoView();
}

open().then(() => {
  performance.mark("ready");
  document.documentElement.setAttribute("data-ready", "");
});

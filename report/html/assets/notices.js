// Notices say of each run what its numbers do not: what was acknowledged and is lost, that
// it ended early, and what was not measured and why. They stand above the answer, which has only what was measured.

const mostNotices = 6; // of each run

function notices() {
  return report.runs.flatMap((run, i) => {
    const before = runsDiffer ? runName(i) + ": " : "";
    const cells = report.cells.filter((c) => c.run === i);
    const list = [...losses(cells), endedEarly(run, cells), ...unmeasured(cells)].filter(Boolean);
    return list.slice(0, mostNotices).map((text) => h("p", { class: "notice" }, before, text));
  });
}

// losses names the cells that lost what was acknowledged.
const losses = (cells) => cells.filter((c) => c.lost).map((c) => h("strong", { class: "unknown" }, `Lost: ${c.id}: ${c.lost}`));

// endedEarly says how much of a run there is, if it was interrupted or has no end.
function endedEarly(run, cells) {
  const why = run.interrupted ? "interrupted" : when(run.finished) ? "" : "it was killed, or still runs";
  if (!why) return "";
  const measured = cells.filter((c) => c.measured),
    cut = measured.filter((c) => c.codes.includes("interrupted")).length;
  return `Not the whole run (${why}): ${count(measured.length)} of ${plural(cells.length, "cell")} measured` + (cut ? `, ${count(cut)} of them not to the end of its window.` : ".");
}

// unmeasured names the cells that were tried in vain, those of the same cause together.
function unmeasured(cells) {
  const causes = new Map();
  for (const { id, error } of cells.filter((c) => !c.measured && c.error)) causes.set(error, [...(causes.get(error) ?? []), id]);
  return [...causes].map(([error, [first, ...more]]) => `Not measured: ${first}${more.length ? ` and ${plural(more.length, "more cell")}` : ""}: ${error}`);
}

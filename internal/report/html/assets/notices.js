// Notices say of each run what its numbers do not: what was acknowledged and is lost, that
// it ended early, and what was not measured and why. They stand above the answer, which has only what was measured.

const mostNotices = 6; // of each run: a loss and an early end are said whatever else there is

function notices() {
  return report.runs.flatMap((run, i) => {
    const before = runsDiffer ? runName(i) + ": " : "";
    const cells = report.cells.filter((c) => c.run === i);
    const said = [...losses(cells), endedEarly(run, cells)].filter(Boolean),
      room = Math.max(mostNotices - said.length, 1);
    return [...said, ...atMost(room, unmeasured(cells), "more causes")].map((text) => h("p", { class: "notice" }, before, text));
  });
}

// atMost leaves out what there is no room for, and says how much that is.
const atMost = (room, list, what) => (list.length <= room ? list : [...list.slice(0, room), `… and ${count(list.length - room)} ${what}`]);

const mostLosses = 3, // that are told; of more the cells are named
  mostLost = 12; // and of still more, how many there are

// losses names the cells that lost what was acknowledged: a loss is said whatever else there is.
function losses(cells) {
  const lost = cells.filter((c) => c.lost);
  const texts = lost.slice(0, mostLosses).map((c) => `Lost: ${c.title}: ${c.lost}`);
  const more = lost.slice(mostLosses).map((c) => c.title);
  if (more.length) texts.push(`Lost in ${plural(more.length, "more cell")}, too: ${atMost(mostLost, more, "more").join("; ")}`);
  return texts.map((text) => h("strong", { class: "unknown" }, text));
}

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

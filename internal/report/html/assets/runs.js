// What the cells of a run share: environment, plan, command.

// commandLine quotes the words that a shell would change.
const commandLine = (words) =>
  (words ?? []).map((w) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(w) ? w : "'" + w.replaceAll("'", "'\\''") + "'")).join(" ");

function runFacts(run, i) {
  const e = run.environment,
    s = run.plan.settings;
  const quota = e.cpu_quota_cores ? `, CPU quota ${digits(e.cpu_quota_cores)}` : "";
  return h(
    "section",
    { class: "run" },
    h("h3", null, runName(i), h("span", { class: "hint" }, " " + run.folder)),
    h("pre", null, commandLine(run.command)),
    list([
      ["started", when(run.started)],
      ["finished", when(run.finished) || "no: it was killed, or still runs"],
      ["interrupted", run.interrupted ? "yes" : ""],
      ["run id", run.id],
      ["host", e.host],
      ["CPU", e.cpu && `${e.cpu}, ${e.cpus} online, GOMAXPROCS ${e.gomaxprocs}${quota}`],
      ["memory", e.memory_bytes ? bytes(e.memory_bytes) : ""],
      ["governor · driver", [e.cpu_governor, e.cpu_frequency_driver].filter(Boolean).join(" · ")],
      ["system", [e.os, e.kernel].filter(Boolean).join(" ")],
      ["clock source", [e.clock_source, e.clock_step_ns && "steps of " + time(e.clock_step_ns)].filter(Boolean).join(", ")],
      ["brokerbench", e.brokerbench],
      ["Go", e.go],
      ["window", `${windowText(s)}, repeated ${Math.max(run.plan.repeat, 1)} ×`],
      ["percentiles asked for", (s.percentiles ?? []).map(percentile).join(", ")],
    ]),
    h("h4", null, "Targets"),
    list((run.plan.targets ?? []).map((t) => [t.name, t.url])),
  );
}

// allOutcomes counts the SLOs of all cells that passed, were missed or are not decided;
// those of a search are what it found, not what its probes say.
function allOutcomes() {
  const found = report.searches ?? [],
    searched = new Set(found.map((f) => f.run));
  const counts = outcomesOf(report.cells.filter((c) => !searched.has(c.run)));
  for (const { status } of found) {
    const outcome = foundAs[status] ?? "inconclusive";
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

// usableBadge counts the numbers that can be used, of all runs that are not searches.
function usableBadge() {
  const searched = new Set((report.searches ?? []).map((f) => f.run));
  const uses = report.runs.filter((_, i) => !searched.has(i)).map((r) => r.belief),
    sum = (key) => uses.reduce((n, u) => n + u[key], 0),
    [usable, all] = [sum("usable"), sum("of")];
  return all > 0 && h("span", { class: "badge " + (usable === all ? "usable" : "limited") }, `${count(usable)} of ${count(all)} numbers usable`);
}

// summary is the line below the title.
function summary() {
  const cells = report.cells,
    n = (v) => cells.filter((c) => c.verdict === v).length;
  const parts = ["suspect", "invalid", ""]
    .filter((v) => n(v))
    .map((v) => h("span", { class: "part" }, badge(v), " " + count(n(v))));
  const outcomes = allOutcomes();
  const hostOf = ({ environment: e }) => [e.host, e.cpu && `${e.cpus} × ${e.cpu}`].filter(Boolean).join(", ");
  const begun = new Set(report.runs.map((r) => when(r.started))),
    hosts = new Set(report.runs.map(hostOf));
  return [
    h("p", { class: "meta" }, [...begun].slice(0, 3).join(" · "), " · ", [...hosts].slice(0, 3).join(" · ")),
    h(
      "p",
      { class: "parts" },
      usableBadge(),
      h("span", { class: "part" }, plural(cells.length, "cell")),
      parts,
      Object.keys(outcomes).length > 0 && h("span", { class: "part", id: "slo-summary" }, "SLOs ", outcomeBadges(outcomes)),
    ),
    notices(),
  ];
}

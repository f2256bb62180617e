// Facts are the lists beside a cell's charts: the reasons of its verdict, its
// ledger, how it was measured, the client's settings.

// list makes a list of names and values, without those that have no value.
function list(pairs, className = "facts") {
  const filled = pairs.filter(([, value]) => value != null && value !== "" && value !== false);
  return h(
    "dl",
    { class: className },
    filled.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

// limits names the percentiles of the response that a problem limits.
function limits(problem) {
  const response = (problem.limits ?? []).find((l) => l.series === "response");
  if (!response) return "";
  const [first, last] = [response.percentiles[0], response.percentiles.at(-1)];
  if (first === last) return `limits ${percentile(first)}`;
  return last === 100 ? `limits from ${percentile(first)} up` : `limits ${percentile(first)} to ${percentile(last)}`;
}

function verdictFacts(row, { verdict, problems = [], slos = [], not_judged = [], pauses }) {
  const slo = (s) => [
    objective(s.objective),
    h("td", null, h("span", { class: "slo " + s.outcome }, s.outcome)),
    h("td", { class: "text" }, s.text),
  ];
  return [
    row.error && h("p", { class: "unknown" }, row.error),
    h("p", { class: "verdict" }, badge(verdict), " ", problems.length ? "" : "No problem was found."),
    problems.length > 0 && h("ul", { class: "problems" }, problems.map(problemFact)),
    pauseFacts({ pauses }),
    not_judged.length > 0 &&
      h("p", { class: "hint" }, "Not judged: ", not_judged.map((n) => `${n.code} (${n.reason})`).join(", ")),
    slos.length > 0 && numbers("Objectives", [], slos.map(slo), { class: "numbers slos" }),
  ];
}

function problemFact(p) {
  const severity = limits(p) || (p.severity === "valid" ? "note" : p.severity);
  return h("li", { class: p.severity }, h("strong", null, p.code), " ", h("span", { class: "severity" }, severity), h("br"), p.text);
}

// objective writes an SLO as the user did.
const objective = (o) => (typeof o === "string" ? o : (o.text ?? JSON.stringify(o)));

function ledgerFacts(cell) {
  const names = ["due", "done", "failed", "lost", "unsent"];
  const field = (l, n) => h("td", { class: n !== "due" && n !== "done" && l[n] > 0 && "unknown" }, count(l[n]));
  const row = (name, ledger) => [name, ...names.map((n) => field(ledger, n))];
  const strays = Object.entries(cell.strays).filter(([, n]) => n > 0);
  return [
    numbers("Ledger: due = done + failed + lost + unsent", ["", ...names], [
      row("window", cell.ledger),
      row("warm-up", cell.warmup_ledger),
    ]),
    promiseFacts(cell),
    groupFacts(cell),
    backlogFacts(cell),
    userFacts(cell),
    partitionFacts(cell),
    echoFacts(cell),
    strays.length > 0 &&
      h("p", null, "Replies that answered no message: ", strays.map(([name, n]) => `${count(n)} ${name}`).join(", ")),
    cell.failures?.length > 0 && h("ul", null, cell.failures.map((f) => h("li", null, `${count(f.count)} × ${f.cause}`))),
  ];
}

// costFacts say what a message cost, and what each node used.
function costFacts({ cost, nodes = [] }) {
  if (!cost) return null;
  const known = (v, unit) => (v == null ? "?" : `${+v.toPrecision(3)} ${unit}`);
  const micros = (ns) => known(ns == null ? null : ns / 1000, "µs") + " a message";
  const amount = (v) => (v == null ? "?" : bytes(v));
  return [
    h("h3", null, "What a message cost"),
    list([
      ["nodes, processor", `${micros(cost.nodes_cpu_ns)}; ${known(cost.nodes_cores, "cores")}`],
      ["nodes, written to files", amount(cost.written_bytes) + " a message"],
      ["nodes, memory", amount(cost.resident_bytes)],
      ["brokerbench, processor", micros(cost.client_cpu_ns)],
    ]),
    numbers(
      "What each node used over the window",
      ["node", "CPU s", "memory", "read", "written"],
      nodes.map((n) => [
        n.node,
        n.cpu_ns == null ? "?" : (n.cpu_ns / 1e9).toPrecision(3),
        ...[n.resident_bytes, n.read_bytes, n.written_bytes].map(amount),
      ]),
    ),
  ];
}

// echoFacts says how long each half of the way took, and how long the echo had each message.
function echoFacts({ echo: e, outward, back }) {
  if (!e) return null;
  if (e.lost) return h("p", { class: "unknown" }, "The echo was lost: " + e.lost);
  const clock = e.echo_clock ?? {};
  const value = (row) => {
    if (row.withheld) return `< 10 × bound: withheld (< ${millis(clock.withheld_ns ?? 0)})`;
    return row.value_ns == null ? "?" : millis(row.value_ns);
  };
  const ways = [
    ["outward: due until the echo had it", outward],
    ["back: until the reply came", back],
    ["at the echo, a part of back", e.handling],
  ].filter(([, d]) => d);
  const shown = [50, 99, 99.9, 100];
  const below = (name, b) =>
    b?.count > 0 && `${plural(b.count, "time")} of ${name} below zero, down to ${millis(b.least_ns)} ms`;
  const notes = [
    clock.source,
    clock.bound_ns > 0 && `±${millis(clock.bound_ns)} ms`,
    below("outward", clock.outward_below_zero),
    below("back", clock.back_below_zero),
  ];
  const sent = `An echo (${e.kind}) sent back ${count(e.received - e.failed)} of ${count(e.received)} messages. `;
  return [
    h("h3", null, "Two hops, in ms"),
    h("p", null, sent, notes.filter(Boolean).join("; ")),
    numbers(
      "The way there, the way back, and the echo itself",
      ["", ...shown.map(percentile)],
      ways.map(([name, d]) => [name, ...shown.map((p) => value(d.percentiles.find((r) => r.percentile === p)))]),
    ),
  ];
}

// groupFacts says when the first, each and the last group of consumers had a message, and what each
// group and each of its members received.
function groupFacts({ groups = [], first, each, response }) {
  if (!groups.length) return null;
  const shown = [50, 99, 99.9, 100];
  const time = (ns) => (ns == null ? "?" : millis(ns));
  const missing = (l) => l.failed + l.lost + l.unsent;
  return [
    h("h3", null, "Groups of consumers"),
    h("p", null, "A message is done when its last group has it. Times are in ms from due."),
    numbers(
      "When groups had a message",
      ["", ...shown.map(percentile)],
      [["first group", first], ["each group", each], ["last group", response]].map(([name, d]) => [name, ...shown.map((p) => agentTime(d, p))]),
    ),
    numbers(
      "What each group received",
      ["group", "owed", "missing", "twice", "disorder", "p50", "p99", "max"],
      groups.map((g) => [
        String(g.group),
        count(g.ledger.due),
        h("td", { class: missing(g.ledger) > 0 && "unknown" }, count(missing(g.ledger))),
        count(g.duplicate),
        count(g.disordered),
        time(g.p50_ns),
        time(g.p99_ns),
        time(g.max_ns),
      ]),
    ),
    numbers(
      "Messages that each member received, and their p99",
      ["group", ...groups[0].members.map((_, i) => `member ${i}`)],
      groups.map((g) => [String(g.group), ...g.members.map((n, i) => count(n) + (g.members_p99_ns?.[i] == null ? "" : ` (${millis(g.members_p99_ns[i])})`))]),
    ),
  ];
}

// backlogFacts says how a backlog was drained, and the times of live messages before, during and after.
function backlogFacts({ backlog: b }) {
  if (!b) return null;
  const time = (ns) => (ns == null ? "?" : millis(ns));
  const seconds = (ns) => (ns / 1e9).toPrecision(3) + " s";
  const perS = `${count(Math.round(b.drained_per_s))}/s`;
  const drain = () => {
    if (b.interrupted) return `interrupted while the store was filled: ${count(b.stored)} of ${count(b.messages)} messages stored`;
    if (b.drain_ns != null) return `${count(b.messages)} messages drained in ${seconds(b.drain_ns)}, ${perS}`;
    if (b.within_ns === 0) return "interrupted before the consumers returned";
    const last = b.last_ns == null ? "" : `; the last came after ${seconds(b.last_ns)}, ${perS}`;
    return `NOT drained: ${count(b.left)} of ${count(b.messages)} messages left after ${seconds(b.within_ns)}${last}`;
  };
  const times = [["age of the backlog", b.age]];
  for (const p of b.phases ?? []) times.push([`${p.phase}: lagging group`, p.lagging], [`${p.phase}: other groups`, p.others], [`${p.phase}: acknowledgement`, p.ack]);
  return [
    h("h3", null, "Backlog"),
    h("p", null, `${count(b.stored)} messages stored in ${seconds(b.fill_ns)}; ${drain()}. `, b.not_cold && "The page cache was not dropped: " + b.not_cold, b.cold && "The page cache was dropped before."),
    numbers(
      "Messages of the backlog",
      ["group", "owed", "delivered", "missing", "twice", "behind at the start"],
      b.groups.map((g) => [String(g.group), ...[g.owed, g.delivered, g.missing, g.duplicate, g.behind].map(count)]),
    ),
    numbers(
      "Times in ms, from due; ages from when a message was sent",
      ["", "p50", "p99", "p99.9", "max"],
      times.filter(([, d]) => d).map(([name, d]) => [name, time(d.p50_ns), time(d.p99_ns), time(d.p99_9_ns), time(d.max_ns)]),
    ),
  ];
}

// userFacts has the times of users who need several messages each, beside those that independent messages would give.
function userFacts({ users = [] }) {
  if (!users.length) return null;
  const naive = (u, p) => u.naive_ns?.[u.worst.percentiles.findIndex((r) => r.percentile === p)];
  const time = (ns) => (ns == null ? "?" : millis(ns));
  const share = (v) => `${+(100 * v).toPrecision(3)} %`;
  const over = users.flatMap((u) => (u.over ?? []).map((o) => [u.kind, o.limit, time(o.limit_ns), share(o.share), `${share(o.low)}–${share(o.high)}`, share(o.naive)]));
  return [
    h("h3", null, "Users who need several messages"),
    h("p", null, "In ms: worst is the longest response of a user's messages, sum that of all. Naive is worst if messages were independent."),
    numbers(
      "Times of users",
      ["user", "users", "unfinished", "worst p50", "naive", "worst p99", "naive", "max", "sum p50", "sum p99"],
      users.map((u) => [
        u.kind,
        count(u.due),
        count(u.worst.missing),
        agentTime(u.worst, 50),
        time(naive(u, 50)),
        agentTime(u.worst, 99),
        time(naive(u, 99)),
        agentTime(u.worst, 100),
        ...[50, 99].map((p) => (u.sum ? agentTime(u.sum, p) : "")),
      ]),
    ),
    over.length > 0 && numbers("Users whose worst is above a limit", ["user", "limit", "ms", "users above", "95 %", "naive"], over),
  ];
}

// partitionFacts has the messages and times of each partition, of messages with keys.
function partitionFacts({ partitions = [] }) {
  if (!partitions.length) return null;
  const time = (ns) => (ns == null ? "?" : millis(ns));
  const sorted = [...partitions].sort((a, b) => b.messages - a.messages);
  return numbers(
    "Partitions, the hottest first; times in ms from due",
    ["partition", "messages", "p50", "p99", "max"],
    sorted.map((p) => [p.partition + (p.and_above ? " and above" : ""), count(p.messages), time(p.p50_ns), time(p.p99_ns), time(p.max_ns)]),
  );
}

// promiseFacts says what became of what was acknowledged.
function promiseFacts({ promises: p, audit: a }) {
  if (!p) return null;
  const parts = [
    [p.acked, "acknowledged"],
    [p.kept, "of them came back"],
    [p.broken, "of them did not"],
    [p.early, "came back before they were acknowledged, as the client handed them over"],
    [p.unacked, "came back and were not acknowledged"],
    [p.disordered, "came back out of order"],
  ];
  const store = a && (a.error ? "not known: " + a.error : `${count(a.kept)} of ${count(a.acked)} acknowledged messages, ${count(a.duplicates)} of them twice`);
  return [
    h("p", null, "Promises: ", parts.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`).join(", ")),
    a && h("p", { class: a.missing > 0 && "unknown" }, "In the store, warm-up included: ", store),
  ];
}

// happened lists what happened during a cell, in the order of time: what broke, what the
// connections reported, and the longest pauses.
function happened(cell) {
  const { events = [], pauses } = cell;
  const stood = (pauses?.longest ?? []).map((p) => ({ at_ns: p.at_ns, text: `a pause of ${millis(p.for_ns)} ms` }));
  return [...faultMoments(cell), ...causeMoments(cell), ...events, ...stood].sort((a, b) => a.at_ns - b.at_ns);
}

// pauseFacts says how often the target stood still.
function pauseFacts({ pauses }) {
  if (!pauses) return null;
  const bound = pauses.at_most_per_s > 0 ? `; at least ${(1 / pauses.at_most_per_s).toFixed(1)} s between two on average (95 %)` : "";
  return h("p", { class: "hint" }, `Pauses of ${millis(pauses.least_ns)} ms or more: ${count(pauses.count)} in ${(pauses.window_ns / 1e9).toFixed(0)} s${bound}`);
}

function eventFacts(events) {
  if (!events.length) return null;
  const event = (e) => h("li", null, h("span", { class: "at" }, (e.at_ns / 1e9).toFixed(3) + " s"), " ", e.text);
  return h(
    "details",
    { open: events.length <= 12 },
    h("summary", null, plural(events.length, "event")),
    h("ol", { class: "events" }, events.map(event)),
  );
}

// measuredFacts lists how the cell was measured.
function measuredFacts({ cell, cut }) {
  const s = cell.plan.settings,
    t = cell.tail;
  return list([
    ["started", when(cell.started)],
    ["window", windowText(s) + (cell.interrupted ? ", interrupted" : "")],
    ["timeout", time(s.timeout_ns)],
    ["offered · reached", rate(cell.offered_per_s) + "/s · " + rate(cell.reached_per_s) + "/s"],
    ["seed · senders · spin", [s.seed, Math.max(s.senders, 1), (s.spin === "auto" ? "auto: " : "") + time(cell.spin_ns)].join(" · ")],
    ["floor p50 · p99", cell.floor && floorText(cell.floor)],
    ...(cell.disks ?? []).map((d) => ["disk of " + d.disk_of.join(", "), diskText(d)]),
    ["longest hiccup", cell.hiccup && time(cell.hiccup.max_ns)],
    ["tail", t?.intervals > 0 && tailText(t)],
    ["CPU used", cell.usage && usageText(cell.usage, cell.usable_cores)],
    ["log", cut && "its last line is incomplete: the run was killed"],
  ]);
}

const windowText = (s) => `${time(s.duration_ns)} after ${time(s.warmup_ns)} of warm-up`;
const tailText = (t) =>
  `${t.with_hiccup} of the ${plural(t.intervals, "second")} with responses of ${time(t.threshold_ns)} or more also had a hiccup of at least half that`;
const at = (d, p) => d.percentiles.find((r) => r.percentile === p)?.value_ns;
const floorText = (f) =>
  `TCP echo ${time(at(f.echo.response, 50))} · ${time(at(f.echo.response, 99))}; no socket at all ${time(at(f.noop.response, 50))} · ${time(at(f.noop.response, 99))}`;
const fsyncText = (f) => (f?.sync ? `${time(at(f.sync, 50))} · ${time(at(f.sync, 99))}` : f?.disk_error);
const diskText = (d) =>
  [
    [d.file_system, d.drive].filter(Boolean).join(" on ") || "unknown",
    d.disk_before && `write and fdatasync p50 · p99: ${fsyncText(d.disk_before)} before`,
    d.disk_after && `${fsyncText(d.disk_after)} after`,
    d.disk_before?.sequential_bytes_per_s && `${(d.disk_before.sequential_bytes_per_s / 1e6).toFixed(0)} MB/s in sequence`,
  ]
    .filter(Boolean)
    .join("; ");
const usageText = (u, usable) =>
  `${digits(u.process.cpu_cores)} cores by brokerbench` +
  (usable > 0 ? ` of ${digits(usable)} that it may use` : "") +
  (u.machine
    ? `, ${digits(u.machine.busy_cores)} of ${u.machine.cpus} by all` +
      (u.machine.steal_cores >= 0.005 ? `, ${u.machine.steal_cores.toFixed(2)} stolen` : "")
    : "");

// What an acknowledged message survives, and what of it is in doubt.
const durabilityText = (d) =>
  d.level +
  (d.asked && d.asked !== d.level ? `; ${d.asked} was asked for` : "") +
  (d.limit ? ` (${d.limit})` : "") +
  (d.not_verified?.length ? `; not verified: ${d.not_verified.join("; ")}` : "");

function brokerFacts(row, cell) {
  const b = report.brokers[row.broker];
  return [
    list([
      ["broker", b.product + " " + b.version],
      ["through", b.client],
      ...(b.kernel ? [["its kernel", b.kernel]] : []),
      ["target", cell.plan.target.url],
      ...(b.durability ? [["durability", durabilityText(b.durability)]] : []),
    ]),
    ...(cell.measured?.length ? [h("h4", null, "Measured by the client"), settingsList(cell.measured)] : []),
    h("h4", null, "Client settings in force"),
    b.settings?.length ? settingsList(b.settings) : h("p", null, "none"),
  ];
}

const settingsList = (settings) => list(settings.map((s) => [s.name, s.value === "" ? "–" : s.value]), "facts settings");

// Agents: the machines that measured a cell together, and how far they are apart.

// startWithin returns how far an agent's first message may have been from the common start.
function startWithin({ agent_clock: { bound_ns, late_ns = 0 } }) {
  return bound_ns + Math.max(late_ns, 0);
}

// agentSpread says in a sentence how far the agents are apart; "" if that is not known.
function agentSpread({ agents, agent_spread = [] }) {
  const apart = agent_spread.map(
    (s) => `p${s.percentile} from ${millis(s.least_ns)} ms (${s.least_agent}) to ${millis(s.most_ns)} ms (${s.most_agent})`,
  );
  const widest = Math.max(...agents.map(startWithin));
  return [...apart, `they began within ±${millis(widest)} ms`].join("; ");
}

// agentColumns are what the table says of each agent, and what that means.
const agentColumns = [
  ["host", "", (a) => a.environment.host || "?"],
  ["connections", "its share", (a) => count(a.connections)],
  ["rate/s", "that it offered", (a) => rate(a.offered_per_s)],
  ["due", "", (a) => count(a.ledger.due)],
  ["done", "", (a) => count(a.ledger.done)],
  ["p50", "ms", (a) => agentTime(a.response, 50)],
  ["p99", "ms", (a) => agentTime(a.response, 99)],
  ["max", "ms", (a) => agentTime(a.response, 100)],
  ["lag p99", "ms: how late it sent", (a) => agentTime(a.lag, 99)],
  ["hiccup", "ms: the longest", (a) => (a.hiccup ? millis(a.hiccup.max_ns) : "–")],
  ["floor p99", "ms: the same without a broker", (a) => (a.floor ? agentTime(a.floor.echo.response, 99) : "–")],
  ["start", "ms: how far from the common start it may have begun", (a) => "±" + millis(startWithin(a))],
];

// agentTime writes a percentile in ms; ? if it is not known, ~ before what is of limited use, ≥ before
// the maximum of those that came.
function agentTime(d, p) {
  if (p === 100 && d.missing > 0 && d.count > 0) return "≥" + millis(d.max_ns);
  const row = (d.percentiles ?? []).find((r) => r.percentile === p);
  if (row?.value_ns == null) return "?";
  return (usable(row) ? "" : "~") + millis(row.value_ns);
}

// agentFacts is the table of the agents of a cell; null of one that a single process measured.
function agentFacts(cell) {
  const { agents = [] } = cell;
  if (!agents.length) return null;
  const row = (a) => [
    h("th", { scope: "row" }, a.name, a.lost && [h("br"), h("small", null, "lost: " + a.lost)]),
    ...agentColumns.map(([, , value]) => (a.lost ? "–" : value(a))),
    h("td", { class: "text" }, a.lost ? h("span", { class: "unknown" }, "lost") : badge(a.verdict)),
  ];
  return [
    h("h3", null, "Agents"),
    h("p", { class: "hint" }, `${plural(agents.length, "machine")} measured this cell together: ${agentSpread(cell)}.`),
    numbers("What each agent measured of its part, in ms", ["", ...agentColumns, "verdict"], agents.map(row), { class: "numbers agents" }),
  ];
}

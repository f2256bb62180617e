// Faults: what broke in a cell, when, and what became of the messages.

// faultName says which fault it is, as the table of the terminal does.
function faultName({ plan: p, nodes = [], by }) {
  const words = p.do === "run" ? ["run", ...p.command] : p.do === "fall-behind" ? ["pause", "consumers"] : [p.do, p.node];
  const which = nodes.length && !(nodes.length === 1 && nodes[0] === p.node) ? `(${nodes.join(", ")})` : "";
  return [...words, which, "at", time(p.at_ns), by && `by ${by}`].filter(Boolean).join(" ");
}

const faultMade = (f) => f.broken_ns > 0;

// faultMoments are the events of faults: when each began, and what came back when.
function faultMoments({ faults = [] }) {
  return faults.filter(faultMade).flatMap((f) => {
    const name = faultName(f),
      back = f.harm?.recovered_ns;
    return [
      { at_ns: f.began_ns, text: name, fault: true },
      f.leader_ns != null && { at_ns: f.leader_ns, text: `${name}: ${f.leader_after || "another"} leads` },
      f.healed_ns != null && { at_ns: f.healed_ns, text: `${name}: healed` },
      f.redundant_ns != null && { at_ns: f.redundant_ns, text: `${name}: all copies in step` },
      back > 0 && { at_ns: f.began_ns + back, text: `${name}: p99 is back` },
    ].filter(Boolean);
  });
}

// drawFaults shades each fault from its beginning until it was healed.
function drawFaults(u, time) {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.fillStyle = ink("bad");
  u.ctx.globalAlpha = 0.08;
  for (const f of time.faults) {
    const from = Math.max(u.valToPos(f.began_ns / 1e9, "x", true), left);
    const to = Math.min(f.healed_ns == null ? left + width : u.valToPos(f.healed_ns / 1e9, "x", true), left + width);
    if (to > from) u.ctx.fillRect(from, top, to - from, height);
  }
  u.ctx.restore();
}

const inSeconds = (ns) => (ns / 1e9).toFixed([1e10, 1e11, 1e12].filter((limit) => ns < limit).length);

// outageText writes an outage in seconds: < if none is shown, > if it did not end.
function outageText(o) {
  if (!o || o.unknown) return "–";
  return (!o.shown ? "< " : o.first_ns == null ? "> " : "") + inSeconds(o.for_ns);
}

function recoveryText(f) {
  const { recovered_ns, base_p99_ns, to_ns } = f.harm;
  if (recovered_ns != null) return inSeconds(recovered_ns);
  return base_p99_ns == null ? "–" : "> " + inSeconds(Math.max(to_ns - f.began_ns, 0));
}

// dueInOutage counts the messages due in the outage of acknowledgements or of deliveries, whichever are more.
const dueInOutage = ({ acks, deliveries }) => Math.max(0, ...[acks, deliveries].filter((o) => o?.shown).map((o) => o.due));

// lostText counts what was acknowledged and lost: with ≤ if another fault may have lost some of it.
function lostText({ harm }) {
  if (harm.acked_lost == null) return "–";
  return (harm.acked_lost_one_of > 0 ? "≤ " : "") + count(harm.acked_lost);
}

// faultColumns are what the table says of each fault, and what that means.
const faultColumns = [
  ["no acks", "seconds in which no message was acknowledged", (f) => outageText(f.harm.acks)],
  ["no deliveries", "seconds in which no message came back", (f) => outageText(f.harm.deliveries)],
  ["p99 back", "seconds until p99 was at most twice what it usually was", recoveryText],
  ["worst", "seconds: the longest response", (f) => (f.harm.done ? inSeconds(f.harm.worst_ns) : "–")],
  ["due in it", "messages due in the outage of acknowledgements or of deliveries, whichever are more", (f) => count(dueInOutage(f.harm))],
  ["failed", "", (f) => count(f.harm.failed)],
  ["lost", "neither done nor failed", (f) => count(f.harm.lost)],
  ["acked and lost", "acknowledged, and not in the store", lostText],
  ["twice", "came again", (f) => count(f.harm.duplicates)],
  ["out of order", "", (f) => count(f.harm.out_of_order)],
];

// faultFacts is the table of the faults of a cell; null without.
function faultFacts({ faults = [], plan }) {
  if (!faults.length) return null;
  const row = (f) => [
    h("th", { scope: "row" }, faultName(f), faultRemarks(f, plan.shape.connections).map((text) => [h("br"), h("small", null, text)])),
    ...faultColumns.map(([name, , value]) =>
      h("td", { class: name === "acked and lost" && f.harm?.acked_lost > 0 && "unknown" }, f.harm ? value(f) : "–"),
    ),
  ];
  const caption =
    "Faults: times in seconds. <: no outage is shown, it cannot have been longer. >: not over until the next fault or the end. ≤: some are the loss of one of several faults, and count for each.";
  return numbers(caption, ["", ...faultColumns], faults.map(row), { class: "numbers faults" });
}

// faultRemarks are what the columns of a fault do not say, in a cell of so many connections.
function faultRemarks(f, connections) {
  const c = f.catch_up,
    part = f.harm?.deliveries;
  const times = (what, t) => t && `${what} p50 ${inSeconds(t.p50_ns)}, p99 ${inSeconds(t.p99_ns)}, max ${inSeconds(t.max_ns)} s`;
  return [
    !faultMade(f) && "not made: " + f.error,
    faultMade(f) && f.error,
    faultMade(f) && !f.harm && "what it did to messages is not known apart: it began with the next fault, or after the last message was due",
    f.leader_before && `leader ${f.leader_before}` + (f.leader_after ? `, then ${f.leader_after}` : ", and none was seen after") + (f.leaderless_ns ? `, and none for ${inSeconds(f.leaderless_ns)} s` : ""),
    f.harm?.base_p99_ns != null && f.harm.recovered_ns == null && f.harm.later_p99_ns != null &&
      `p99 was ${millis(f.harm.base_p99_ns)} ms before, and ${millis(f.harm.later_p99_ns)} ms in the end`,
    f.harm?.disturbed &&
      `something else made messages slow before it: their p99 was ${millis(f.harm.disturbed.p99_ns)} ms, and usually ${millis(f.harm.base_p99_ns)} ms`,
    (f.harm?.acks?.unknown || part?.unknown) && "nothing came after it, and too few messages were due to show an outage",
    part?.shown && part.connections < connections && `no deliveries on ${part.connections} of ${plural(connections, "connection")}`,
    c && `${plural(c.behind, "message")} behind` + (c.drained_ns == null ? "" : `, delivered within ${inSeconds(c.drained_ns)} s`),
    c?.undelivered > 0 && `${count(c.undelivered)} of them never came`,
    c?.queued > 0 && `${count(c.queued)} of them waited in the client, as no more may be in flight`,
    c && times("age at delivery", c.age),
    c && times("live meanwhile", c.live),
  ].filter(Boolean);
}

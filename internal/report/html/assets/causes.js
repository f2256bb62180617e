// Causes: what the worst messages of a cell have in common.

// causeName names a cause and its place.
const causeName = ({ cause, where }) => `${cause} (${where})`;

// causeMoments are the events of pauses that have a cause.
function causeMoments({ causes }) {
  return (causes?.marks ?? [])
    .filter((m) => m.causes)
    .map((m) => ({ at_ns: m.from_ns, text: `a pause of ${millis(m.worst_ns)} ms: ${m.causes.map((i) => causeName(causes.causes[i])).join(", ")}` }));
}

// causeFacts is the table of the causes of a cell; null of one that was not sampled.
function causeFacts({ causes }) {
  if (!causes) return null;
  const lacking = (causes.unavailable ?? []).map((m) => h("p", { class: "hint" }, `Not sampled: ${causeName(m)}: ${m.reason}`));
  if (causes.verdict !== "causes") {
    const text = causes.verdict === "none" ? `No cause found of the ${causes.pauses} worst pauses.` : `The cause of the worst messages is not decided: ${causes.reason}.`;
    return [h("p", { class: "hint" }, text), lacking];
  }
  const columns = [
    ["coincide", "pauses that coincide with the cause"],
    ["of", "the worst pauses that no cause above explains"],
    ["by chance", "pauses that coincide with it by chance"],
    ["p", "the probability of as many by chance, corrected for all causes that were tried"],
  ];
  const row = (c) => [causeName(c), c.coincide, c.pauses, c.expected.toPrecision(2), c.p.toPrecision(2)];
  return [numbers("Causes of the worst pauses", ["", ...columns], causes.causes.map(row), { class: "numbers causes" }), lacking];
}

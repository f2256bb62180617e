// What the reader chose stands in the address after the #, so that reloading, the back
// button and a link that somebody sends bring it back.

const address = { filter: "", verdict: "", sort: "", cell: "", span: "" };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(address)) address[key] = given.get(key) ?? "";
}

// choose changes the address. A step is what the back button takes back; what is typed
// letter by letter is none.
function choose(change, step = true) {
  const before = new URLSearchParams(address).toString();
  Object.assign(address, change);
  if (new URLSearchParams(address).toString() === before) return;
  const text = "#" + new URLSearchParams(Object.entries(address).filter(([, v]) => v !== ""));
  if (step) history.pushState(null, "", text);
  else history.replaceState(null, "", text);
}

// cellKey names a cell in the address.
const cellKey = (cell) => (runsDiffer ? cell.run + 1 + "/" : "") + cell.id;

const addressedCell = () => report.cells.find((c) => c.measured && cellKey(c) === address.cell);

// addressedSpan returns the span in the address as [first, last] interval of a cell
// that has so many, or null.
function addressedSpan(intervals) {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(address.span) ?? [];
  return +first <= +last && +last < intervals ? [+first, +last] : null;
}

readAddress();

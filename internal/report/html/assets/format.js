// How numbers are written. All times are nanoseconds until here.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const count = (n) => grouped.format(n);

// millis writes a time in ms with the three digits that histograms have: words.Millis.
function millis(ns) {
  const ms = ns / 1e6,
    decimals = [0.09995, 0.9995, 9.995, 99.95].filter((limit) => Math.abs(ms) < limit).length;
  return ns === 0 ? "0" : ms.toFixed(decimals);
}

// time writes a time in the unit that suits it, with three digits.
function time(ns) {
  if (ns == null) return "";
  const unit = units(ns, [[1e9, " s"], [1e6, " ms"], [1e3, " µs"]], 0.9995);
  return unit ? digits(ns / unit[0]) + unit[1] : Math.round(ns) + " ns";
}

// units returns the first unit that a number reaches, [size, name], a share of it being enough.
const units = (n, list, share = 1) => list.find(([size]) => Math.abs(n) >= size * share);

// digits writes three significant digits, and whole numbers above that.
function digits(v) {
  if (v === 0) return "0";
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v) * 1.0005)));
  return v.toFixed(Math.min(decimals, 6));
}

// tick writes a time on an axis: as short as it can be.
const tick = (ns) =>
  ns === 0
    ? "0"
    : time(ns)
        .replace(/\.0+ /, " ")
        .replace(/(\.\d*?)0+ /, "$1 ");

// size writes bytes in the largest unit that divides them, as the command does.
function size(bytes) {
  if (bytes >= 2 ** 20 && bytes % 2 ** 20 === 0) return bytes / 2 ** 20 + " MiB";
  if (bytes >= 1024 && bytes % 1024 === 0) return bytes / 1024 + " KiB";
  return bytes + " B";
}

// bytes writes an amount of memory or traffic with three digits.
function bytes(n) {
  const unit = units(n, [[2 ** 30, " GiB"], [2 ** 20, " MiB"], [1024, " KiB"]]);
  return unit ? digits(n / unit[0]) + unit[1] : Math.round(n) + " B";
}

// short writes a count with three digits: 12.3k.
function short(n) {
  const [size, name] = units(n, [[1e9, "G"], [1e6, "M"], [1e3, "k"]], 0.9995) ?? [1, ""];
  return digits(n / size).replace(/\.0+$/, "") + name;
}

const rate = (n) => (n < 100 ? String(Number(n.toPrecision(3))) : count(n));
const inFlight = (n) => (n === 0 ? "open" : String(n));
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
const percentile = (p) => (p === 100 ? "max" : "p" + p);
// base2 is the steps of an axis of bytes.
const base2 = Array.from({ length: 50 }, (_, i) => 2 ** i);

const seconds = (ms) => (ms / 1000).toFixed(ms % 1000 ? 1 : 0);
const when = (text) =>
  text && !text.startsWith("0001") ? text.replace("T", " ").replace(/\.\d+/, "").replace("Z", " UTC") : "";

// distinct tells whether values differ.
const distinct = (list) => new Set(list).size > 1;

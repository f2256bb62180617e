// The table: a row for each series, sorted by any column, filtered by words and verdicts.
// The name of a series opens a cell, and its repeats are rows below it.

// words returns the text that the filter searches.
const words = (s) =>
  [s.measured ? label(s) : s.title, ...s.cells.flatMap((c) => [c.id, c.title]), s.verdict || "not measured", ...s.codes, s.error ?? ""].join(" ").toLowerCase();

// cellTable fills its host. It calls changed with the series that are left whenever a
// filter changes them, and returns {shown, restore}: the series in the order of the
// table, and what shows again what the address says.
function cellTable(host, changed) {
  const cols = [{ title: "target", text: true, sort: (s) => s.target || s.id }, ...columns()];
  const texts = series.map(words),
    rows = series.map((s) => tableRow(s, cols.slice(1)));
  const body = h("tbody", { role: "rowgroup" });
  const bar = tableBar(cols, { sortBy, filterBy, shown });
  const heads = cols.map((c) =>
    h("th", { role: "columnheader", scope: "col", class: c.text && "text" }, h("button", { type: "button", onclick: () => sortBy(c.title) }, c.title)),
  );
  let before = "";

  // shown returns the series that the filter leaves.
  function matching() {
    const wanted = address.filter.toLowerCase().split(/\s+/);
    return series.filter((s, i) => (!address.verdict || (s.verdict || "not measured") === address.verdict) && wanted.every((w) => texts[i].includes(w)));
  }
  function shown() {
    const name = address.sort.replace(/^-/, ""),
      sign = address.sort.startsWith("-") ? -1 : 1,
      column = cols.find((c) => c.title === name);
    if (!column) return matching();
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return matching().sort(
      (a, b) => Number(b.measured) - Number(a.measured) || (a.measured && sign * compare(column.sort(a), column.sort(b))) || a.number - b.number,
    );
  }
  function sortBy(title) {
    choose({ sort: address.sort === title ? "-" + title : title });
    update();
  }
  function filterBy(change, step) {
    choose(change, step);
    update();
  }
  function update() {
    const list = shown();
    heads.forEach((th, i) => {
      const how = { [cols[i].title]: "ascending", ["-" + cols[i].title]: "descending" }[address.sort];
      how ? th.setAttribute("aria-sort", how) : th.removeAttribute("aria-sort");
    });
    const none = h("tr", null, h("td", { class: "text none", colspan: cols.length }, noMatch(() => filterBy({ filter: "", verdict: "" }))));
    body.replaceChildren(...(list.length || !series.length ? list.flatMap((s) => [rows[s.number], ...(rows[s.number].repeats ?? [])]) : [none]));
    bar.update(list);
    const after = list.map((s) => s.number).sort().join();
    if (after !== before && before !== "") changed(list);
    before = after || "none";
  }

  show(
    host,
    bar.element,
    h(
      "div",
      { class: "scroll table", tabindex: 0, role: "region", "aria-label": "All cells" },
      h("table", { role: "table", class: "cells" }, h("caption", null, constants()), h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), body),
    ),
    h(
      "p",
      { class: "hint" },
      "Response times in ms, from the moment each message was due; service times count from the moment it was sent. Bars are logarithmic, on one axis. ~ of limited use: something besides the target is in it, or too little is above it; ? unknown, messages that never came back rank there; ≥ the true maximum is unknown.",
    ),
  );
  update();
  return { shown, restore: update };
}

const noMatch = (clear) => [
  `No cell matches ${[address.filter && `“${address.filter}”`, address.verdict].filter(Boolean).join(" and ")}. `,
  h("button", { type: "button", onclick: clear }, "Show all"),
];

// tableBar has the filter, what to draw, and how many rows there are.
function tableBar(cols, { sortBy, filterBy, shown }) {
  const verdictOf = (s) => s.verdict || "not measured";
  const verdicts = ["valid", "suspect", "invalid", "not measured"].filter((v) => series.some((s) => verdictOf(s) === v));
  let typing = false; // a word is one step back, not each of its letters
  const search = h("input", {
    type: "search",
    placeholder: "nats 1 KiB lost …",
    oninput: () => (filterBy({ filter: search.value }, !typing), (typing = true)),
    onchange: () => (typing = false),
  });
  const tally = h("output", { class: "tally" });
  const byVerdict = choice("Verdict", [["", "all"], ...verdicts.map((v) => [v, v])], address.verdict, (v) => filterBy({ verdict: v }));
  const order = h(
    "select",
    { onchange: () => sortBy(order.value) },
    h("option", { value: "" }, "shape"),
    cols.map((c) => h("option", { value: c.title }, c.title)),
  );
  const element = h(
    "div",
    { class: "bar" },
    h("label", { class: "search" }, "Filter ", search),
    verdicts.length > 1 && byVerdict,
    h("label", { class: "order" }, "Sort by ", order),
    tally,
    h("button", { type: "button", class: "save", onclick: () => saveCSV(tableCSV(shown()), "cells") }, "CSV"),
  );
  function update(list) {
    const cells = (of) => of.reduce((n, s) => n + s.cells.length, 0);
    const [some, all] = [cells(list), cells(series)];
    tally.value = some === all ? plural(all, "cell") : `${count(some)} of ${plural(all, "cell")}`;
    if (search.value !== address.filter) search.value = address.filter;
    order.value = address.sort.replace(/^-/, "");
    byVerdict.press(address.verdict);
  }
  return { element, update };
}

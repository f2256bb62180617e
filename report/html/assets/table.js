// The table of all cells: sorted by any column, filtered by words and verdicts;
// a tick draws a cell's curve, its name opens it.

// words returns the text that the filter searches.
const words = (r) =>
  [r.measured ? label(r) : r.id, r.id, r.verdict || "not measured", ...r.codes, r.error ?? ""]
    .join(" ")
    .toLowerCase();

function cellTable(host) {
  const cols = columns(),
    state = { column: -1, down: false, text: "", verdict: "" };
  const texts = report.cells.map(words);
  const rows = report.cells.map((r) => tableRow(r, cols));
  const body = h("tbody", null, rows);
  const heads = cols.map((c, i) =>
    h(
      "th",
      { scope: "col", class: c.numeric || "text" },
      h("button", { type: "button", onclick: () => sortBy(i) }, c.title),
    ),
  );
  const shown = () =>
    report.cells.filter(
      (c, i) =>
        texts[i].includes(state.verdict) &&
        (!state.verdict || (c.verdict || "not measured") === state.verdict) &&
        state.text
          .toLowerCase()
          .split(/\s+/)
          .every((w) => texts[i].includes(w)),
    );
  const tally = h("output", { class: "tally" });

  function sortBy(i) {
    [state.column, state.down] = [i, state.column === i && !state.down];
    heads.forEach((th, j) =>
      j === i ? th.setAttribute("aria-sort", state.down ? "descending" : "ascending") : th.removeAttribute("aria-sort"),
    );
    update();
  }
  function update() {
    let list = shown();
    if (state.column >= 0) {
      const { sort } = cols[state.column],
        sign = state.down ? -1 : 1;
      const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
      list = [...list].sort(
        (a, b) => Number(b.measured) - Number(a.measured) || sign * compare(sort(a), sort(b)) || a.number - b.number,
      );
    }
    body.replaceChildren(...list.map((r) => rows[r.number]));
    tally.value =
      list.length === report.cells.length
        ? plural(list.length, "cell")
        : `${count(list.length)} of ${plural(report.cells.length, "cell")}`;
  }

  const verdicts = ["valid", "suspect", "invalid", "not measured"].filter((v) =>
    report.cells.some((c) => (c.verdict || "not measured") === v),
  );
  host.append(
    h(
      "div",
      { class: "bar" },
      h(
        "label",
        { class: "search" },
        "Filter ",
        h("input", {
          type: "search",
          placeholder: "nats 1 KiB lost …",
          oninput: (e) => ((state.text = e.target.value), update()),
        }),
      ),
      verdicts.length > 1 &&
        choice("Verdict", [["", "all"], ...verdicts.map((v) => [v, v])], "", (v) => ((state.verdict = v), update())),
      h(
        "span",
        { class: "choice" },
        h("span", { class: "label" }, "Draw"),
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              selection.set(
                shown()
                  .filter((c) => c.measured)
                  .slice(0, curveLimit),
              ),
          },
          "all in the table",
        ),
        h("button", { type: "button", onclick: () => selection.set([]) }, "none"),
      ),
      tally,
      h("button", { type: "button", class: "save", onclick: () => saveCSV(tableCSV(shown()), "cells") }, "CSV"),
    ),
    h(
      "div",
      { class: "scroll table", tabindex: 0, role: "region", "aria-label": "All cells" },
      h(
        "table",
        { class: "cells" },
        h("thead", null, h("tr", null, h("th", { class: "tick" }, h("span", { class: "hidden" }, "draw")), heads)),
        body,
      ),
    ),
    h(
      "p",
      { class: "hint" },
      "Response times in ms, from the moment each message was due; service times count from the moment it was sent. ~ of limited use: something besides the target is in it, or too little is above it; ? unknown, messages that never came back rank there; ≥ the true maximum is unknown.",
    ),
  );
  update();
  selection.changed.push(() => rows.forEach((row, i) => tickRow(row, report.cells[i])));
}

function tableRow(r, cols) {
  if (!r.measured) {
    return h(
      "tr",
      { class: "unmeasured" },
      h("td", null),
      h(
        "td",
        { class: "text", colspan: cols.length },
        badge(""),
        " ",
        r.id + (r.error ? ": " + r.error : ": not reached"),
      ),
    );
  }
  const box = h("input", {
    type: "checkbox",
    "aria-label": "Draw " + label(r),
    onchange: (e) => selection.toggle(r, e.target.checked),
  });
  return h(
    "tr",
    { "data-cell": r.number },
    h("td", { class: "tick" }, h("label", null, box, h("span", { class: "swatches" }))),
    cols.map((c) => c.field(r)),
  );
}

// tickRow shows whether a cell is drawn, and how.
function tickRow(row, cell) {
  const box = row.querySelector("input");
  if (!box) return;
  const line = selection.lines.get(cell),
    drawn = line !== undefined;
  if (box.checked === drawn && row.line === line) return;
  box.checked = drawn;
  row.line = line;
  show(row.querySelector(".swatches"), drawn && swatch(selection.style(cell)));
}

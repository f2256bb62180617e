// A row of the table: a series, or one of its repeats.

function tableRow(s, cols) {
  if (!s.measured) {
    const text = s.title + (s.error ? ": " + s.error : ": not reached");
    return h("tr", { role: "row", class: "unmeasured" }, h("td", { role: "cell", class: "text", colspan: cols.length + 1 }, badge(""), " ", text));
  }
  const row = h(
    "tr",
    { role: "row", "data-series": s.number, "data-cell": s.cells.length === 1 && s.cells[0].number },
    h(
      "th",
      { role: "rowheader", scope: "row", class: "text" },
      h("span", { class: "name" }, swatch({ ink: `hue-${s.hue}-0` }), openButton(s.cells[0], s.target), s.cells.length > 1 && unfold(s, () => row, cols)),
    ),
    fields(s, cols),
  );
  row.holds = s.cells;
  return row;
}

// fields makes the fields of a row. On a narrow screen a row is a card, where each field
// says which it is, and its role says that it is still one of a table.
const fields = (r, cols) =>
  cols.map((c) => {
    const field = c.field(r);
    field.dataset.label = c.title;
    field.setAttribute("role", "cell");
    return field;
  });

const openButton = (cell, text) =>
  h("button", { type: "button", class: "open", title: "Show this cell: " + cell.title, onclick: () => openCell(cell, true) }, text);

// unfold is the button that shows the repeats of a series below its row.
function unfold(s, row, cols) {
  const button = h("button", { type: "button", class: "unfold", "aria-expanded": "false", onclick: toggleRepeats }, repeatsOf(s));
  function toggleRepeats() {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    row().repeats?.forEach((r) => r.remove());
    row().repeats = open ? s.cells.map((c) => repeatRow(c, cols)) : null;
    if (open) row().after(...row().repeats);
    markCurrent();
  }
  return button;
}

// repeatsOf says how many repeats a series has, and how many are not whole.
function repeatsOf({ cells }) {
  const cut = cells.filter((c) => c.codes.includes("interrupted")).length;
  return plural(cells.length, "repeat") + (cut ? `, ${count(cut)} interrupted` : "");
}

function repeatRow(cell, cols) {
  const name = h("th", { role: "rowheader", scope: "row", class: "text" }, h("span", { class: "name" }, openButton(cell, "repeat " + cell.repeat)));
  const row = h("tr", { role: "row", class: "repeat", "data-cell": cell.number }, name, fields(cell, cols));
  row.holds = [cell];
  return row;
}

// markCurrent marks the rows of the cell that is shown.
function markCurrent() {
  for (const row of document.querySelectorAll(".cells tbody tr")) {
    if (opened && row.holds?.includes(opened.row)) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

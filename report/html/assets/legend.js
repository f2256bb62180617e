// A legend names the lines of a chart, and says what each is at the cursor.

function legend(items) {
  const values = items.map(() => h("output", null));
  const element = h(
    "ul",
    { class: "legend" },
    items.map((item, i) =>
      h(
        "li",
        null,
        swatch(item.slot, { dash: item.dash, ink: item.ink, width: item.width }),
        h("span", { class: "name" }, item.label),
        values[i],
      ),
    ),
  );
  if (!items.length) element.hidden = true;
  return {
    element,
    at: (index) => items.forEach((item, i) => (values[i].value = index == null ? "" : (item.value?.(index) ?? ""))),
  };
}

// item makes an item of a legend, drawn in the colour of a slot or of an ink.
function item(label, slot, value, extra = {}) {
  return {
    label,
    slot,
    value,
    dash: extra.dash ?? dash(slot),
    colour: () => (extra.ink ? ink(extra.ink) : hue(slot)),
    ...extra,
  };
}

// A legend names the lines of a chart and shows their values at the cursor.

function legend(items) {
  const values = items.map(() => h("output", null));
  const element = h(
    "ul",
    { class: "legend" },
    items.map((item, i) =>
      h(
        "li",
        null,
        swatch(item),
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

// Elements are made by h, and text is always text: nothing in the data is ever
// parsed as HTML.

// h makes an element. Attributes that begin with "on" are listeners; false, null
// and undefined leave an attribute or a child out.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(2).filter((c) => c !== false && c != null));
  return element;
}

// svg makes an element of a drawing, in its parent.
function svg(tag, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  if (text != null) element.textContent = text;
  parent?.append(element);
  return element;
}

// numbers makes a table that scrolls sideways. A head is a text, or [text, title]. The first of
// a row is its head; what is no element yet becomes a field.
function numbers(caption, heads, rows, attributes = {}) {
  const head = ([text, title]) => h("th", { scope: "col", title }, text);
  const field = (value, i) => (value instanceof Element ? value : i ? h("td", null, value) : h("th", { scope: "row" }, value));
  const table = h(
    "table",
    { class: "numbers", ...attributes },
    h("caption", null, caption),
    heads.length > 0 && h("thead", null, h("tr", null, heads.map((text) => head([text].flat())))),
    h("tbody", null, rows.map((row) => h("tr", null, row.map(field)))),
  );
  return h("div", { class: "scroll" }, table);
}

const byID = (id) => document.getElementById(id);

// show replaces the children of an element.
function show(element, ...children) {
  element.replaceChildren(...children.flat(2).filter((c) => c !== false && c != null));
}

// choice makes a row of buttons, one of which is pressed. names is a list of
// [value, label]; pressing a button calls chosen with its value. The element's press
// presses one without a call.
function choice(label, names, value, chosen) {
  const buttons = names.map(([v, text]) =>
    h("button", { type: "button", "aria-pressed": String(v === value), onclick: () => (mark(v), chosen(v)) }, text),
  );
  const mark = (v) => names.forEach(([each], i) => buttons[i].setAttribute("aria-pressed", String(each === v)));
  const element = h(
    "span",
    { class: "choice", role: "group", "aria-label": label },
    h("span", { class: "label" }, label),
    buttons,
  );
  element.press = mark;
  return element;
}

// Every chart can be saved: as CSV, and as PNG with its title and legend.

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// csv writes rows. Text is quoted where it must be, and an apostrophe keeps a
// spreadsheet from running text as a formula.
function csv(rows) {
  const field = (v) => {
    if (v == null) return "";
    if (typeof v === "number") return String(v);
    const text = /^[=+\-@\t\r]/.test(v) ? "'" + v : v;
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

const saveCSV = (rows, name) => save(new Blob([csv(rows)], { type: "text/csv" }), name + ".csv");

// caption stands above a chart: its title, a hint, its controls, and the buttons that
// save it.
function caption({ title, hint, controls, name, rows }, png) {
  const button = (text, about, onclick) => h("button", { type: "button", class: "save", title: about, onclick }, text);
  return h(
    "figcaption",
    null,
    h("span", { class: "title" }, title),
    hint && h("span", { class: "hint" }, hint),
    h(
      "span",
      { class: "controls" },
      controls,
      button("CSV", "Save the numbers of this chart", () => saveCSV(rows(), fileName(name))),
      button("PNG", "Save this chart as a picture", png),
    ),
  );
}

// picture returns a canvas with that of a chart, its title above and its legend below.
// What has no ink in the legend has no sample.
function picture(from, title, legend) {
  const scale = devicePixelRatio,
    pad = 12 * scale,
    lineHeight = 18 * scale;
  const canvas = h("canvas", {
    width: from.width + 2 * pad,
    height: from.height + pad * 2 + lineHeight * (legend.length + 2),
  });
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = ink("bg");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.textBaseline = "middle";
  ctx.fillStyle = ink("fg");
  ctx.font = `600 ${14 * scale}px system-ui, sans-serif`;
  ctx.fillText(title, pad, pad + lineHeight / 2, canvas.width - 2 * pad);
  ctx.drawImage(from, pad, pad + lineHeight * 1.5);
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  legend.forEach((item, i) => {
    const y = pad + lineHeight * (i + 2) + from.height;
    const left = pad + (item.ink ? 34 * scale : 0);
    if (item.ink) {
      ctx.strokeStyle = ink(item.ink);
      ctx.lineWidth = 2.5 * scale;
      ctx.setLineDash((item.dash ?? []).map((d) => d * scale));
      (ctx.beginPath(), ctx.moveTo(pad, y), ctx.lineTo(pad + 26 * scale, y), ctx.stroke());
    }
    ctx.fillStyle = ink("fg");
    ctx.fillText(item.label, left, y, canvas.width - pad - left);
  });
  return canvas;
}

const savePNG = (canvas, name) => canvas.toBlob((blob) => save(blob, name + ".png"), "image/png");

// fileName makes a file name of any text.
const fileName = (...parts) =>
  parts
    .join("-")
    .replace(/[^A-Za-z0-9.]+/g, "-")
    .replace(/^-+|-+$/g, "");

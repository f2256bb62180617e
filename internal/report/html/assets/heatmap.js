// The heat map: how many replies took how long, interval by interval. A power of
// ten has twelve rows; they are for the eye, all numbers come from the histograms.

const rowsPerDecade = 12;

// heatCells adds up the buckets of each interval into rows, and returns {columns:
// [Map of row → count], low, high, most}: the lowest and highest row, and the
// largest count.
function heatCells(histograms) {
  let low = Infinity,
    high = -Infinity,
    most = 0;
  const columns = histograms.map(({ index, count }) => {
    const column = new Map();
    index.forEach((at, i) => {
      const row = Math.floor(Math.log10(Math.max(highestOf(at), 1)) * rowsPerDecade);
      column.set(row, (column.get(row) ?? 0) + count[i]);
    });
    for (const [row, n] of column)
      ((low = Math.min(low, row)), (high = Math.max(high, row)), (most = Math.max(most, n)));
    return column;
  });
  return { columns, low, high, most };
}

const rowFrom = (row) => 10 ** (row / rowsPerDecade);

function heatmap(host, time, detail) {
  const map = heatCells(detail.response);
  if (!map.most) return null;
  const shading = () => {
    const colour = heat(time.hue);
    return (n) => colour(Math.log(n + 1) / Math.log(map.most + 1));
  };
  return chart(host, time, {
    title: "All response times",
    hint: "colour: how many replies of an interval took so long",
    name: "heatmap",
    height: 190,
    controls: [scaleOf(map.most, shading)],
    rows: () => heatRows(time, map),
    data: [time.middles, time.middles.map(() => rowFrom(map.high))],
    scale: { distr: 3, range: [rowFrom(map.low - 1), rowFrom(map.high + 2)] },
    axis: timeAxis({ grid: { show: false } }),
    series: [{ paths: () => null, points: { show: false } }],
    points: { show: false },
    draw: (u) => drawHeat(u, time, map, shading()),
  });
}

function drawHeat(u, time, map, shade) {
  const x = (s) => Math.round(u.valToPos(s, "x", true)),
    y = (v) => Math.round(u.valToPos(v, "y", true));
  u.ctx.save();
  map.columns.forEach((column, i) => {
    const { from, to } = time.intervals[i],
      left = x(from / 1000),
      width = Math.max(x(to / 1000) - left, 1);
    for (const [row, n] of column) {
      const top = y(rowFrom(row + 1));
      u.ctx.fillStyle = shade(n);
      u.ctx.fillRect(left, top, width, Math.max(y(rowFrom(row)) - top, 1));
    }
  });
  u.ctx.restore();
}

// scaleOf makes the legend of the colours.
function scaleOf(most, shading) {
  const canvas = h("canvas", { width: 120, height: 10, class: "ramp", "aria-hidden": "true" });
  const paint = () => {
    const ctx = canvas.getContext("2d"),
      shade = shading();
    for (let i = 0; i < 120; i++) ((ctx.fillStyle = shade((most + 1) ** (i / 119) - 1)), ctx.fillRect(i, 0, 1, 10));
  };
  paint();
  dark.addEventListener("change", paint);
  return h("span", { class: "scale" }, "1", canvas, count(most));
}

function heatRows(time, map) {
  const rows = [["from_s", "to_s", "above_ns", "up_to_ns", "count"]];
  map.columns.forEach((column, i) => {
    for (const [row, n] of [...column].sort((a, b) => a[0] - b[0])) {
      const { from, to } = time.intervals[i];
      rows.push([from / 1000, to / 1000, Math.round(rowFrom(row)), Math.round(rowFrom(row + 1)), n]);
    }
  });
  return rows;
}

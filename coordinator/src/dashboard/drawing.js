"use strict";
// Functions that the overview and the pages of runs share.
const make = (tag, text, kind) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
const row = (tag, cells) => {
  const line = make("tr");
  for (const [text, kind, word] of cells) {
    const cell = make(tag, text, kind);
    if (tag === "th") cell.scope = "col";
    // Narrow pages show no table head, so the cell repeats its label.
    if (word) cell.dataset.word = word;
    line.append(cell);
  }
  return line;
};
const percent = (share, digits = 2) => share == null ? "–" : (100 * share).toFixed(digits) + " %";
const noun = (count, one) => one + (count === 1 ? "" : "s");
const plural = (count, one) => `${count} ${noun(count, one)}`;
const span = ms => {
  if (ms < 1000) return Math.round(ms) + " ms";
  const s = Math.round(ms / 1000);
  return s < 90 ? s + " s" : s < 5400 ? Math.round(s / 60) + " min" : (s / 3600).toFixed(1) + " h";
};
const node = (tag, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
};
// Curves must differ without colour, so they have dashes.
const stroke = ({ colour, dashes }) =>
  ({ stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes, fill: "none" });
const legend = curves => {
  const list = make("div", undefined, "facts legend");
  curves.forEach(curve => {
    const entry = make("span"), sample = node("svg", { width: 26, height: 8, "aria-hidden": true });
    sample.append(node("line", { x1: 0, x2: 26, y1: 4, y2: 4, ...stroke(curve) }));
    entry.append(sample, curve.algorithm + " ", make("small", `n = ${curve.runs}, ${percent(curve.means.at(-1), 1)}`));
    list.append(entry);
  });
  return list;
};
// A chart of shares over amounts. The `points` of a line are pairs [x, share]; `label` returns the
// text at an x.
const chart = ({ lines, ticks, last, label, unit, title, available }) => {
  const [width, height, left, bottom, right] = [Math.min(720, Math.max(240, available)), 220, 44, 34, 14];
  const all = lines.flatMap(line => line.points.map(point => point[1]));
  const least = Math.min(.9, Math.floor(10 * Math.min(1, ...all)) / 10);
  const x = at => left + (width - left - right) * at / (last || 1);
  const y = share => 8 + (height - bottom - 8) * (1 - (share - least) / (1 - least));
  const svg = node("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  svg.append(node("title", {}, title));
  for (let tick = 0; tick <= 4; tick++) {
    const share = least + (1 - least) * tick / 4;
    svg.append(node("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), stroke: "currentColor", "stroke-opacity": .15 }));
    svg.append(node("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, Math.round(1000 * share) / 10 + " %"));
  }
  for (const at of ticks)
    svg.append(node("text", { x: x(at), y: height - bottom + 16, "text-anchor": at === last ? "end" : "middle" }, label(at)));
  svg.append(node("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, unit));
  for (const { points, ...style } of lines)
    svg.append(node("polyline", { points: points.map(([at, share]) => x(at) + "," + y(share)).join(" "), ...stroke(style) }));
  return svg;
};
const meanChart = (curves, budget, available) => {
  const top = curves[0].means.length - 1;
  const last = budget ? Math.min(top, Math.log2(budget)) : Math.min(top, 1 + Math.max(...curves.map(curve =>
    curve.means.findLastIndex((mean, i) => i > 0 && mean > curve.means[i - 1]))));
  const lines = curves.map(curve => {
    const points = [];
    for (let i = 0; i < last; i++) points.push([i, curve.means[i]]);
    points.push([last, curve.means[Math.min(top, Math.ceil(last))]]);
    return { points, colour: curve.colour, dashes: curve.dashes };
  });
  const step = Math.max(1, Math.ceil(last / 6)), ticks = [last];
  for (let i = 0; i < last - step / 2; i += step) ticks.push(i);
  return chart({ lines, ticks, last, label: at => Math.round(2 ** at), unit: "executions",
    title: "Mean coverage over executions until the budget, interim", available });
};

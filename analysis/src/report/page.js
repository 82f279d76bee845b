"use strict";
// Interaction with the report: tables can be sorted, filtered and searched, and series of figures can be hidden.
// A number leads to its runs, and a run to its timeline, suite, log and replay. No other file is loaded.
const data = JSON.parse(document.getElementById("data").textContent);
const dialog = document.getElementById("runs");
const MAX_LISTED = 400;

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function button(text, action) {
  const made = element("button", text, { type: "button" });
  made.addEventListener("click", action);
  return made;
}

function row(kind, cells) {
  const made = element("tr");
  for (const cell of cells) {
    const field = element(kind);
    field.append(cell instanceof Node ? cell : String(cell));
    made.append(field);
  }
  return made;
}

// ---- Runs of a number ----

function setOf(cell) {
  const holder = cell.dataset.runs === undefined ? cell.parentElement : cell;
  const number = holder.dataset.runs;
  return number ? data.sets[number] : undefined;
}

function expand(ranges) {
  const runs = [];
  for (const range of ranges.split(",")) {
    const [first, last = first] = range.split("-").map(Number);
    for (let run = first; run <= last; run++) runs.push(run);
  }
  return runs;
}

function share(covered, goals) {
  const percent = (100 * covered / goals).toFixed(2) + " %";
  return goals === data.uncounted ? percent : `${percent} (${covered}/${goals})`;
}

function covered(run) {
  return data.covered[run] === null ? "n/a" : share(data.covered[run], data.goals[run]);
}

function showCell(cell) {
  const set = setOf(cell);
  if (!set) return;
  const runs = expand(set);
  const table = cell.closest("table");
  const column = table.tHead.rows[0].cells[cell.cellIndex];
  const address = `${table.id}/${Number(cell.parentElement.dataset.row) + 1}/${column.title}`;
  const list = element("table");
  list.append(row("th", ["Project", "Algorithm", "Seed", "Coverage", data.unit, "Run"]));
  for (const run of runs.slice(0, MAX_LISTED)) {
    list.append(row("td", [data.projects[data.project[run]], data.algorithms[data.algorithm[run]],
      data.seed[run], covered(run), data.work[run] ?? "n/a",
      button(data.ids[run], () => showRun(run, () => showCell(cell)))]));
  }
  const wide = element("div", undefined, { class: "wide" });
  wide.append(list);
  const hint = element("p", "All of them, with complete ids: ");
  hint.append(element("code", `catherd report RESULTS --explain ${address}`));
  const many = runs.length > MAX_LISTED ? `, the first ${MAX_LISTED} of them:` : ":";
  open(element("h3", `${column.textContent}: ${cell.textContent}`),
    element("p", `Computed from ${runs.length === 1 ? "1 run" : `${runs.length} runs`}${many}`), wide, hint);
}

function open(...content) {
  dialog.querySelector("div").replaceChildren(...content);
  dialog.scrollTop = 0;
  if (!dialog.open) dialog.showModal();
  // The focused element may have been replaced.
  else dialog.querySelector("button").focus();
}

// ---- A run ----

// Decoded timelines. They are encoded as the number of points of each run, followed by the differences in time
// and in covered goals between points, in groups of 7 bits, compressed.
let timelines;

async function timelineOf(run) {
  if (!data.timelines) return undefined;
  if (!timelines) {
    const bytes = Uint8Array.from(atob(data.timelines), letter => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const plain = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 0;
    const next = () => {
      let value = 0, scale = 1;
      for (;;) {
        const byte = plain[at++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
        scale *= 128;
      }
    };
    timelines = data.ids.map(() => {
      const points = [];
      let time = 0, goals = 0;
      for (let left = next(); left > 0; left--) points.push([time += next(), goals += next()]);
      return points;
    });
  }
  return timelines[run];
}

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function drawn(points, goals, end) {
  const [width, height, left, bottom] = [560, 180, 46, 30];
  const last = Math.max(end ?? 0, points.at(-1)[0], 1);
  const most = Math.max(goals, points.at(-1)[1], 1);
  const x = time => left + (width - left - 12) * time / last;
  const y = count => height - bottom - (height - bottom - 12) * count / most;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "timeline", role: "img",
    "aria-label": "covered goals over time" });
  svg.append(shape("polyline", { points: `${left},10 ${left},${height - bottom} ${width - 10},${height - bottom}`,
    fill: "none", stroke: "currentColor" }));
  let path = `M${x(0)},${y(0)}`;
  for (const [time, count] of points) path += `H${x(time)}V${y(count)}`;
  svg.append(shape("path", { d: path + `H${x(last)}`, fill: "none", stroke: "#0072B2", "stroke-width": 2 }));
  for (const [time, count] of points) {
    const dot = shape("circle", { cx: x(time), cy: y(count), r: 3, fill: "#0072B2" });
    const words = shape("title", {});
    words.textContent = `${count} goals at ${time} ${data.clock}`;
    dot.append(words);
    svg.append(dot);
  }
  const text = (place, words, anchor) => {
    const made = shape("text", { x: place[0], y: place[1], "text-anchor": anchor, "font-size": 12, fill: "currentColor" });
    made.textContent = words;
    svg.append(made);
  };
  text([left - 6, y(most) + 4], most, "end");
  text([left - 6, y(0) + 4], 0, "end");
  text([width - 10, height - 10], `${last} ${data.clock}`, "end");
  text([left, height - 10], "Covered goals over time", "start");
  return svg;
}

async function showRun(run, back) {
  const project = data.projects[data.project[run]], algorithm = data.algorithms[data.algorithm[run]];
  const files = data.files ? `${data.files.projects[data.project[run]]}/${data.files.algorithms[data.algorithm[run]]}-${data.seed[run]}` : undefined;
  const facts = element("dl");
  const fact = (name, value) => facts.append(element("dt", name), (() => {
    const field = element("dd");
    field.append(value instanceof Node ? value : String(value));
    return field;
  })());
  fact("Coverage", covered(run));
  fact(data.unit, data.work[run] ?? "n/a");
  if (data.reasons[run]) fact("Outcome", data.reasons[run]);
  if (files) {
    fact("Suite", element("code", `suites/${files}.${data.files.extension}`));
    fact("Logs, if the tool wrote any", element("code", `logs/${files}.*`));
  }
  fact("Execute it again", element("code", `catherd replay RESULTS ${data.ids[run]}`));
  const place = element("div");
  open(button("Back to the runs", back), element("h3", `${project}, ${algorithm}, seed ${data.seed[run]}`), facts, place);
  const points = await timelineOf(run);
  if (points?.length) {
    place.append(drawn(points, data.goals[run] === data.uncounted ? 0 : data.goals[run], data.spent[run]));
    const list = element("table");
    list.append(row("th", [data.clock, "Covered goals"]), ...points.map(point => row("td", point)));
    const details = element("details");
    details.append(element("summary", "All improvements"), list);
    place.append(details);
  } else {
    place.append(element("p", points ? "The run has no timeline." :
      "The timelines of so many runs are not on this page: they are in timeline.parquet."));
  }
}

// ---- Tables ----

function valueOf(cell) {
  const text = cell.textContent.trim();
  if (text === "n/a") return undefined;
  const number = Number(text.replace(/[\u2009\s]/g, "").replace(/%$/, "").replace(/^</, ""));
  return text === "" || !Number.isFinite(number) ? text.toLowerCase() : number;
}

function sort(table, column) {
  const body = table.tBodies[0], heads = table.tHead.rows[0].cells;
  const before = heads[column].getAttribute("aria-sort");
  const direction = before === "ascending" ? "descending" : before === "descending" ? undefined : "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  const rows = [...body.rows];
  const original = (a, b) => a.dataset.row - b.dataset.row;
  if (direction) {
    heads[column].setAttribute("aria-sort", direction);
    const keys = new Map(rows.map(one => [one, valueOf(one.cells[column])]));
    const sign = direction === "ascending" ? 1 : -1;
    rows.sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      // Missing values are last in both directions.
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined) || original(a, b);
      const order = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x === "number" ? -1 : 1;
      return sign * order || original(a, b);
    });
  } else {
    rows.sort(original);
  }
  body.append(...rows);
}

// Each word of a filter is a part of the text of a row, or a condition on a column, such as
// `a12>0.7`.
function matcher(table, query) {
  const names = [...table.tHead.rows[0].cells].map(head => [head.title.toLowerCase(), head.textContent.toLowerCase()]);
  const words = query.toLowerCase().match(/"[^"]*"|\S+/g) ?? [];
  const tests = words.map(word => {
    const condition = /^([^<>=]+)(<=|>=|<|>|=)(.+)$/.exec(word);
    const column = condition ? names.findIndex(pair => pair.includes(condition[1])) : -1;
    if (column < 0) {
      const part = word.replaceAll('"', "");
      return one => one.textContent.toLowerCase().includes(part);
    }
    const bound = Number(condition[3].replace(/%$/, ""));
    const compare = { "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a == b,
      "<=": (a, b) => a <= b, ">=": (a, b) => a >= b }[condition[2]];
    return one => {
      const value = valueOf(one.cells[column]);
      return value !== undefined && compare(value, typeof value === "number" ? bound : condition[3]);
    };
  });
  return one => tests.every(test => test(one));
}

function filter(table, query, count) {
  const matches = matcher(table, query);
  let shown = 0;
  for (const one of table.tBodies[0].rows) {
    one.hidden = !matches(one);
    shown += !one.hidden;
  }
  const all = table.tBodies[0].rows.length;
  count.textContent = shown === all ? "" : `${shown} of ${all} rows`;
}

function prepare(table) {
  if (table.dataset.ready) return;
  table.dataset.ready = "yes";
  [...table.tBodies[0].rows].forEach((one, number) => one.dataset.row = number);
  for (const head of table.tHead.rows[0].cells) {
    const title = head.textContent;
    head.replaceChildren(button(title, () => sort(table, head.cellIndex)));
  }
  for (const cell of table.tBodies[0].querySelectorAll("td")) {
    if (setOf(cell)) cell.classList.add("runs");
  }
  if (table.tBodies[0].rows.length > 3) {
    const input = element("input", undefined, { type: "search", placeholder: "Filter, such as mio a12>0.7",
      "aria-label": `Filter the rows of ${table.id}` });
    const count = element("span", undefined, { role: "status" });
    input.addEventListener("input", () => filter(table, input.value, count));
    const tools = element("div", undefined, { class: "tools" });
    tools.append(input, count);
    table.parentElement.before(tools);
  }
}

// Large tables are prepared only when they are unfolded, because preparing them all would delay the
// page.
for (const table of document.querySelectorAll("main table")) {
  const details = table.closest("details");
  if (details) details.addEventListener("toggle", () => prepare(table), { once: true });
  else prepare(table);
}

// ---- Search in the whole page ----

const search = document.getElementById("search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll("main .item")) {
    const text = item.textContent.toLowerCase();
    item.hidden = !words.every(word => text.includes(word));
  }
  for (const section of document.querySelectorAll("main section")) {
    section.hidden = words.length > 0 && !section.querySelector(".item:not([hidden])");
  }
});

// ---- Figures: a click on an entry of the legend hides its series ----

for (const figure of document.querySelectorAll("figure")) {
  const shapes = [...figure.querySelectorAll("[data-series]")];
  for (const key of figure.querySelectorAll("[data-key]")) {
    const name = key.dataset.key;
    if (!shapes.some(one => one.dataset.series === name)) continue;
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-pressed", "true");
    key.setAttribute("aria-label", `show ${name}`);
  }
}

function toggle(key) {
  const on = key.getAttribute("aria-pressed") !== "true";
  const figure = key.closest("figure");
  for (const one of figure.querySelectorAll("[data-series]")) {
    if (one.dataset.series === key.dataset.key) one.style.display = on ? "" : "none";
  }
  for (const same of figure.querySelectorAll("[data-key]")) {
    if (same.dataset.key === key.dataset.key) same.setAttribute("aria-pressed", on);
  }
}

// ---- Pointer and keyboard ----

addEventListener("click", event => {
  const key = event.target.closest?.("figure [data-key][role]");
  const cell = event.target.closest?.("main td");
  if (key) toggle(key);
  else if (cell) showCell(cell);
  else if (event.target === dialog) dialog.close();
});

// Arrow keys move between the cells of a table, so the Tab key need not stop at every cell.
function move(cell, key) {
  const next = { ArrowRight: cell.nextElementSibling, ArrowLeft: cell.previousElementSibling,
    ArrowDown: cell.parentElement.nextElementSibling?.cells[cell.cellIndex],
    ArrowUp: cell.parentElement.previousElementSibling?.cells[cell.cellIndex] }[key];
  if (!next) return false;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  return true;
}

for (const table of document.querySelectorAll("main table")) {
  const first = table.tBodies[0].querySelector("td");
  if (first) first.tabIndex = 0;
}
addEventListener("keydown", event => {
  const key = event.target.closest?.("figure [data-key][role]");
  if (key && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    toggle(key);
  } else if (event.target.matches?.("main td")) {
    // The same key must not press the button of the dialog, which receives the focus.
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      showCell(event.target);
    } else if (move(event.target, event.key)) event.preventDefault();
  }
});
// Folded tables are also printed, unless they are long.
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach(one => {
  if (one.querySelectorAll("tr").length < 200) one.open = true;
}));

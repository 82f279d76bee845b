"use strict";
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
    // Narrow pages show no table head, so the cell repeats its label.
    if (word) cell.dataset.word = word;
    line.append(cell);
  }
  return line;
};
const percent = share => share == null ? "–" : (100 * share).toFixed(2) + " %";
const span = ms => {
  const s = Math.round(ms / 1000);
  return s < 90 ? s + " s" : s < 5400 ? Math.round(s / 60) + " min" : (s / 3600).toFixed(1) + " h";
};
const node = (tag, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
};
// Colours with dashes, so that curves differ without colour.
const stroke = ({ colour, dashes }) =>
  ({ stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes, fill: "none" });
const legend = curves => {
  const list = make("div", undefined, "facts legend");
  curves.forEach(curve => {
    const entry = make("span"), sample = node("svg", { width: 26, height: 8 });
    sample.append(node("line", { x1: 0, x2: 26, y1: 4, y2: 4, ...stroke(curve) }));
    entry.append(sample, curve.algorithm + " ", make("small", `n = ${curve.runs}`));
    list.append(entry);
  });
  return list;
};
// As wide as the page, so that the text keeps its size on a phone.
const chart = (curves, available) => {
  const [width, height, left, bottom, right] = [Math.min(720, available), 220, 44, 34, 14];
  // The axis ends where the last curve stops changing.
  let last = 1;
  for (const curve of curves)
    curve.means.forEach((mean, i) => { if (i > 0 && mean > curve.means[i - 1]) last = Math.max(last, i); });
  last = Math.min(last + 1, curves[0].means.length - 1);
  const least = Math.floor(10 * Math.min(...curves.map(curve => curve.means[0]))) / 10;
  const x = i => left + (width - left - right) * i / last;
  const y = mean => 8 + (height - bottom - 8) * (1 - (mean - least) / (1 - least || 1));
  const svg = node("svg", { width, height, role: "img" });
  svg.append(node("title", {}, "mean coverage over executions, interim"));
  for (let tick = 0; tick <= 4; tick++) {
    const mean = least + (1 - least) * tick / 4;
    svg.append(node("line", { x1: left, x2: width - right, y1: y(mean), y2: y(mean), stroke: "currentColor", "stroke-opacity": .15 }));
    svg.append(node("text", { x: left - 6, y: y(mean) + 4, "text-anchor": "end" }, Math.round(100 * mean) + " %"));
  }
  for (let i = 0; i <= last; i += Math.max(1, Math.ceil(last / 6)))
    svg.append(node("text", { x: x(i), y: height - bottom + 16, "text-anchor": "middle" }, 2 ** i));
  svg.append(node("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "executions"));
  curves.forEach(curve => {
    const points = curve.means.slice(0, last + 1).map((mean, i) => x(i) + "," + y(mean)).join(" ");
    svg.append(node("polyline", { points, ...stroke(curve) }));
  });
  return svg;
};
const reasons = {};
const show = state => {
  const error = document.getElementById("error");
  error.hidden = !state.last_error;
  error.textContent = state.last_error || "";
  const busy = state.pending + state.leased > 0;
  document.getElementById("now").textContent =
    `${state.workers.length} worker${state.workers.length == 1 ? "" : "s"} · ${state.runs_per_second.toFixed(1)} runs a second` +
    (busy && state.eta_ms != null ? ` · about ${span(state.eta_ms)} left` : busy ? "" : " · nothing to do");
  const unserved = document.getElementById("unserved");
  unserved.hidden = !state.unserved.length;
  unserved.textContent = state.unserved.map(one =>
    `no worker serves ${one.kind} (engine ${one.engine}): ${one.runs} run${one.runs == 1 ? " waits" : "s wait"}`).join(" · ");
  const studies = document.getElementById("studies");
  studies.replaceChildren(...state.studies.map(study => {
    const box = make("section", undefined, "study"), phases = study.phases;
    box.append(make("strong", study.name), " ", make("small", phases.pending + phases.leased ? study.state : "complete"));
    const bar = make("div", undefined, "bar");
    for (const [kind, count] of [["done", phases.done], ["bad", phases.failed + phases.quarantined], ["leased", phases.leased]]) {
      const part = make("i", undefined, kind);
      part.style.width = 100 * count / Math.max(1, study.runs) + "%";
      bar.append(part);
    }
    const facts = make("div", undefined, "facts");
    for (const [word, value] of [["runs", study.runs], ["done", phases.done], ["pending", phases.pending],
      ["leased", phases.leased], ["failed", phases.failed], ["quarantined", phases.quarantined], ["mean coverage", percent(study.coverage)]]) {
      const fact = make("span", word + " ");
      fact.append(make("b", value));
      facts.append(fact);
    }
    box.append(bar, facts);
    if (study.curves.length) {
      box.append(make("small", "Mean coverage over executions, interim: of the runs accepted since the coordinator started"));
      box.append(chart(study.curves, studies.clientWidth - 28), legend(study.curves));
    }
    const rows = (reasons[study.name] || []).filter(one => one.reason);
    if (rows.length) {
      const table = make("table");
      table.append(row("th", [["without a record", "n"], [""], ["project"], ["algorithm"], ["last reason"]]));
      for (const one of rows.slice(0, 20))
        table.append(row("td", [[one.runs, "n"], [one.phase], [one.project], [one.algorithm], [one.reason, "why"]]));
      const scroll = make("div", undefined, "scroll");
      scroll.append(table);
      box.append(scroll);
    }
    return box;
  }));
  const table = document.getElementById("workers");
  table.replaceChildren(row("th", [["name"], ["state"], ["leases", "n"], ["runs", "n"], ["now"]]));
  for (const worker of state.workers) {
    const silent = worker.silent_ms > 5000, live = worker.executing;
    const word = worker.drained ? "drained: every run crashes there" : silent ? "silent for " + span(worker.silent_ms)
      : worker.leases ? "working" : "idle";
    const work = live ? Object.entries(live.work).map(([unit, amount]) => `${amount} ${unit}, `).join("") : "";
    const now = live && live.goals ? `${work}${live.covered} of ${live.goals} goals` : "";
    table.append(row("td", [[worker.name, "head"], [word], [worker.leases, "n", "leases"], [worker.runs, "n", "runs"], [now]]));
  }
};
let latest = JSON.parse(document.getElementById("state").textContent);
show(latest);
addEventListener("resize", () => show(latest));
const source = new EventSource("events");
source.onmessage = event => show(latest = JSON.parse(event.data));
source.onerror = () => document.getElementById("now").textContent = "the coordinator does not answer; trying again";
const explain = async () => {
  for (const study of latest ? latest.studies : []) {
    const answer = await fetch("missing?study=" + encodeURIComponent(study.name)).catch(() => null);
    if (answer && answer.ok) reasons[study.name] = await answer.json();
  }
  if (latest) show(latest);
  setTimeout(explain, 5000);
};
setTimeout(explain, 1000);

"use strict";
// The overview of studies and workers.
const reasons = {}, maps = {};
const sections = new Map();
const heatmap = (study, algorithms) => {
  const map = maps[study];
  if (!map || !map.projects.length) return [];
  const table = make("table", undefined, "heat");
  const caption = make("caption", "Mean coverage and ended runs by project and algorithm; a cell leads to its runs");
  table.append(caption, row("th", [["project"], ...algorithms.map(name => [name, "n"])]));
  for (const { project, cells } of map.projects) {
    const line = make("tr"), head = make("th", project);
    head.scope = "row";
    line.append(head);
    for (const algorithm of algorithms) {
      const cell = cells[algorithm], place = make("td", undefined, "n");
      if (cell) {
        const ended = cell.done + cell.failed;
        const anchor = link("", cellAddress(study, project, algorithm));
        anchor.dataset.key = anchor.hash;
        anchor.append(percent(cell.coverage, 0), make("small", ` ${ended}/${cell.runs}`));
        if (cell.failed) anchor.append(make("small", ` ✗${cell.failed}`, "failed"));
        anchor.setAttribute("aria-label", `${project}, ${algorithm}: mean coverage ${percent(cell.coverage, 0)}, ${ended} of ${plural(cell.runs, "run")} ended, ${cell.failed} failed`);
        if (cell.coverage !== null) place.style.backgroundColor = `rgb(42 122 176 / ${(.55 * cell.coverage).toFixed(2)})`;
        place.append(anchor);
      }
      line.append(place);
    }
    table.append(line);
  }
  const scroll = make("div", undefined, "scroll tall");
  scroll.append(table);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", "heat map of " + study);
  const more = map.left_out ? [make("small", `and ${plural(map.left_out, "more project")}`)] : [];
  return [scroll, ...more];
};
// The parts of a study stay in the page, so that scrolled and focused elements do not jump.
const sectionOf = study => {
  if (!sections.has(study)) {
    const box = make("section", undefined, "study"), parts = {};
    for (const part of ["head", "curves", "map", "missing"]) box.append(parts[part] = make("div"));
    sections.set(study, { box, parts });
  }
  return sections.get(study);
};
const showMap = (study, algorithms) => {
  const { map } = sectionOf(study).parts;
  const key = document.activeElement?.dataset?.key, [x, y] = [map.firstChild?.scrollLeft ?? 0, map.firstChild?.scrollTop ?? 0];
  map.replaceChildren(...heatmap(study, algorithms));
  map.firstChild?.scrollTo(x, y);
  if (key) map.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
};
const showStudy = study => {
  const { box, parts } = sectionOf(study.name), phases = study.phases, heading = make("h2", study.name + " ");
  heading.append(make("small", phases.pending + phases.leased ? study.state : "complete"));
  const bar = make("div", undefined, "bar");
  bar.setAttribute("role", "progressbar");
  bar.setAttribute("aria-label", "runs that have ended");
  bar.setAttribute("aria-valuemax", study.runs);
  bar.setAttribute("aria-valuenow", phases.done + phases.failed + phases.quarantined);
  for (const [kind, count] of [["done", phases.done], ["bad", phases.failed + phases.quarantined], ["leased", phases.leased]]) {
    const part = make("i", undefined, kind);
    part.style.width = 100 * count / Math.max(1, study.runs) + "%";
    bar.append(part);
  }
  const list = make("div", undefined, "facts");
  for (const [word, value] of [["runs", study.runs], ["done", phases.done], ["pending", phases.pending],
    ["leased", phases.leased], ["failed", phases.failed], ["quarantined", phases.quarantined], ["mean coverage of done runs", percent(study.coverage)]]) {
    const fact = make("span", word + " ");
    fact.append(make("b", value));
    list.append(fact);
  }
  parts.head.replaceChildren(heading, bar, list);
  const curves = study.curves.filter(curve => curve.runs);
  if (curves.length) {
    const words = `Mean coverage on the ${plural(curves[0].projects, "project")} that all shown algorithms have finished since the coordinator started`;
    parts.curves.replaceChildren(make("small", words), meanChart(curves, study.executions, parts.curves.clientWidth || 600), legend(curves));
  } else {
    const words = study.curves.length > 1 ? "No project has been finished by all algorithms yet: their means are not compared." : "";
    parts.curves.replaceChildren(make("small", words));
  }
  const rows = (reasons[study.name] || []).filter(one => one.reason);
  const table = make("table");
  table.append(row("th", [["without a record", "n"], [""], ["project"], ["algorithm"], ["last reason"]]));
  for (const one of rows.slice(0, 20))
    table.append(row("td", [[one.runs, "n"], [one.phase], [one.project], [one.algorithm], [one.reason, "why"]]));
  const scroll = make("div", undefined, "scroll");
  scroll.append(table);
  parts.missing.replaceChildren(...(rows.length ? [scroll] : []));
  return box;
};
const showFailures = failures => {
  const section = document.getElementById("failures"), table = section.querySelector("table");
  section.hidden = !failures.length;
  table.replaceChildren(row("th", [["attempts", "n"], ["projects", "n"], ["algorithm"], ["reason"]]));
  for (const one of [...failures].sort((a, b) => b.attempts - a.attempts).slice(0, 30))
    table.append(row("td", [[one.attempts, "n", noun(one.attempts, "attempt")], [one.projects, "n", noun(one.projects, "project")], [one.algorithm], [one.reason, "why"]]));
};
// Workers are named HOST-core-3 or HOST-1234; workers of `catherd run` are named core-3.
const hostOf = name => name.replace(/-?(core-)?\d+$/, "") || "this machine";
const open = new Set();
const showWorkers = workers => {
  const hosts = new Map();
  for (const worker of workers) {
    const host = hostOf(worker.name);
    hosts.set(host, [...(hosts.get(host) || []), worker]);
  }
  const place = document.getElementById("hosts");
  if (!hosts.size) return place.replaceChildren(make("p", "No worker is connected."));
  place.replaceChildren(...[...hosts].map(([host, own]) => {
    const box = make("details"), sum = key => own.reduce((all, worker) => all + worker[key], 0);
    box.open = hosts.size === 1 ? !open.has("closed " + host) : open.has(host);
    box.addEventListener("toggle", () => {
      const key = hosts.size === 1 ? "closed " + host : host, wanted = hosts.size === 1 ? !box.open : box.open;
      if (wanted) open.add(key); else open.delete(key);
    });
    const silent = own.filter(worker => worker.silent_ms > 5000).length, drained = own.filter(worker => worker.drained).length;
    box.append(make("summary", `${host}: ${plural(own.length, "worker")}, ${plural(sum("leases"), "lease")}, ${plural(sum("runs"), "run")}` +
      (silent ? `, ${silent} silent` : "") + (drained ? `, ${drained} drained` : "")));
    const table = make("table");
    table.append(row("th", [["name"], ["state"], ["leases", "n"], ["runs", "n"], ["now"]]));
    for (const worker of own) {
      const live = worker.executing;
      const word = worker.drained ? "drained: every run crashes there" : worker.rule ? worker.rule : worker.silent_ms > 5000 ? "silent for " + span(worker.silent_ms)
        : worker.leases ? "working" : "idle";
      const work = live ? Object.entries(live.work).map(([unit, amount]) => `${amount} ${unit}, `).join("") : "";
      const now = live && live.goals ? `${work}${live.covered} of ${live.goals} goals` : "";
      table.append(row("td", [[worker.name, "head"], [word], [worker.leases, "n", noun(worker.leases, "lease")], [worker.runs, "n", noun(worker.runs, "run")], [now]]));
    }
    const scroll = make("div", undefined, "scroll");
    scroll.append(table);
    box.append(scroll);
    return box;
  }));
};
// The rate must agree with the remaining time.
const pace = state => {
  const left = state.pending + state.leased;
  if (!left) return " · nothing to do";
  const seconds = state.eta_ms != null ? state.eta_ms / 1000 : left / state.runs_per_second;
  if (!isFinite(seconds) || seconds <= 0) return " · measuring how long a run takes";
  const rate = left / seconds;
  const words = rate >= .95 ? `${rate.toFixed(1)} runs a second` : rate * 60 >= .95 ? `${(60 * rate).toFixed(1)} runs a minute` : `${(3600 * rate).toFixed(1)} runs an hour`;
  return ` · ${words} · about ${span(1000 * seconds)} left`;
};
const show = state => {
  if (!state) return;
  const error = document.getElementById("error");
  error.hidden = !state.last_error;
  error.textContent = state.last_error || "";
  document.getElementById("now").textContent = plural(state.workers.length, "worker") + pace(state);
  const unserved = document.getElementById("unserved");
  unserved.hidden = !state.unserved.length;
  unserved.textContent = state.unserved.map(one =>
    `no worker serves ${one.kind} (engine ${one.engine}): ${one.runs} run${one.runs == 1 ? " waits" : "s wait"}`).join(" · ");
  const studies = document.getElementById("studies"), boxes = state.studies.map(showStudy);
  if (boxes.length !== studies.children.length || boxes.some((box, i) => studies.children[i] !== box)) studies.replaceChildren(...boxes);
  showFailures(state.failures);
  showWorkers(state.workers);
};
let latest = JSON.parse(document.getElementById("state").textContent);
show(latest);
route();
addEventListener("resize", () => show(latest));
const source = new EventSource("events");
source.onmessage = event => show(latest = JSON.parse(event.data));
source.onerror = () => document.getElementById("now").textContent = "the coordinator does not answer; trying again";
const explain = async () => {
  for (const study of latest ? latest.studies : []) {
    const of = "?study=" + encodeURIComponent(study.name);
    const [missing, cells] = await Promise.all(["missing", "cells"].map(path => fetch(path + of).catch(() => null)));
    if (missing?.ok) reasons[study.name] = await missing.json();
    if (cells?.ok) {
      maps[study.name] = await cells.json();
      showMap(study.name, maps[study.name].algorithms);
    }
  }
  if (latest) show(latest);
  setTimeout(explain, 5000);
};
explain();

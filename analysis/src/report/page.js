"use strict";
// Lists the runs from which the clicked number was computed.
const data = JSON.parse(document.getElementById("data").textContent);
const dialog = document.getElementById("runs");
const MAX_LISTED = 400;

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

function element(name, text) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  return made;
}

function row(kind, texts) {
  const made = element("tr");
  for (const text of texts) made.append(element(kind, text));
  return made;
}

function covered(run) {
  const covered = data.covered[run], goals = data.goals[run];
  if (covered === null) return "n/a";
  const share = (100 * covered / goals).toFixed(2) + " %";
  return goals === data.uncounted ? share : `${share} (${covered}/${goals})`;
}

function show(cell) {
  const set = setOf(cell);
  if (!set) return;
  const runs = expand(set);
  const table = cell.closest("table");
  const column = table.tHead.rows[0].cells[cell.cellIndex];
  const number = cell.parentElement.sectionRowIndex + 1;
  const address = `${table.id}/${number}/${column.title}`;
  const content = dialog.querySelector("div");
  content.replaceChildren(
    element("h3", `${column.textContent}: ${cell.textContent}`),
    element("p", `Computed from ${runs.length === 1 ? "1 run" : `${runs.length} runs`}` +
      (runs.length > MAX_LISTED ? `, the first ${MAX_LISTED} of them:` : ":")));
  const list = element("table");
  list.append(row("th", ["Project", "Algorithm", "Seed", "Coverage", data.unit, "Run"]));
  for (const run of runs.slice(0, MAX_LISTED)) {
    list.append(row("td", [data.projects[data.project[run]], data.algorithms[data.algorithm[run]],
      data.seed[run], covered(run), data.work[run] ?? "n/a", data.ids[run]]));
  }
  const wide = element("div");
  wide.className = "wide";
  wide.append(list);
  const hint = element("p", "All of them, with complete ids: ");
  hint.append(element("code", `catherd report RESULTS --explain ${address}`));
  content.append(wide, hint);
  dialog.showModal();
}

for (const cell of document.querySelectorAll("main td")) {
  if (setOf(cell)) {
    cell.classList.add("runs");
    if (!cell.closest("details")) cell.tabIndex = 0;
  }
}
addEventListener("click", event => {
  const cell = event.target.closest("main td");
  if (cell) show(cell);
  else if (event.target === dialog) dialog.close();
});
addEventListener("keydown", event => {
  if (event.key === "Enter" && event.target.matches("main td")) show(event.target);
});

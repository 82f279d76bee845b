"use strict";
// The pages of a cell and of a run: #cell/STUDY/PROJECT/ALGORITHM and #run/ID.
const overview = document.getElementById("overview"), detail = document.getElementById("detail");
const cellAddress = (study, project, algorithm) => "#cell/" + [study, project, algorithm].map(encodeURIComponent).join("/");
const answerOf = async path => {
  const answer = await fetch(path).catch(() => null);
  if (!answer) throw new Error("the coordinator does not answer");
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
const link = (text, address) => {
  const anchor = make("a", text);
  anchor.href = address;
  return anchor;
};
const facts = pairs => {
  const list = make("dl");
  for (const [word, value] of pairs) list.append(make("dt", word), make("dd", value));
  return list;
};
const cellPage = async (study, project, algorithm) => {
  const runs = await answerOf("runs?" + new URLSearchParams({ study, project, algorithm }));
  const table = make("table");
  table.append(row("th", [["seed", "n"], ["state"], ["covered", "n"], ["goals", "n"], ["coverage", "n"], ["run"], ["reason"]]));
  for (const run of runs) {
    const line = row("td", [[run.seed, "n", "seed"], [run.phase], [run.covered ?? "–", "n", "covered"], [run.goals ?? "–", "n", "goals"],
      [run.goals ? percent(run.covered / run.goals) : "–", "n"], [""], [run.reason, "why"]]);
    const place = line.children[5];
    if (run.goals === null) place.textContent = run.run.slice(0, 12);
    else place.append(link(run.run.slice(0, 12), "#run/" + run.run));
    table.append(line);
  }
  const scroll = make("div", undefined, "scroll");
  scroll.append(table);
  return [make("h2", `${project}, ${algorithm}`), make("p", `${plural(runs.length, "run")} of ${study}`), scroll];
};
const timeline = (record, available) => {
  const units = Object.keys(record.work).sort(), unit = units[0] ?? "ms";
  const at = point => units.length ? point.work[0] : point.wall_ms;
  const last = Math.max(1, units.length ? record.work[unit] : record.resources.wall_ms, ...record.timeline.map(at));
  const points = [[0, 0]];
  for (const point of record.timeline) {
    points.push([at(point), points.at(-1)[1]], [at(point), point.covered / Math.max(1, record.goals)]);
  }
  points.push([last, points.at(-1)[1]]);
  return chart({ lines: [{ points, colour: "currentColor", dashes: "none" }], ticks: [0, last / 2, last], last,
    label: amount => Math.round(amount), unit, title: `Coverage over ${unit}`, available });
};
const runPage = async id => {
  const record = await answerOf("run?" + new URLSearchParams({ run: id }));
  const parts = [make("h2", `${record.project}, ${record.algorithm}, seed ${record.seed}`), facts([
    ["run", id.slice(0, 12)],
    ["outcome", record.outcome + (record.reason ? ": " + record.reason : "")],
    ["coverage", `${record.covered} of ${record.goals} goals (${percent(record.covered / Math.max(1, record.goals))})`],
    ["work", Object.entries(record.work).map(([unit, amount]) => `${amount} ${unit}`).join(", ") || "–"],
    ["time", span(record.resources.wall_ms)],
    ["suite", `${plural(record.suite.tests, "test")}, ${record.suite.size} ${record.suite.unit}`],
    ["host", record.provenance.host || "–"],
    ["again", `catherd replay FOLDER ${id.slice(0, 12)}`],
  ])];
  if (record.timeline.length) {
    const draw = () => timeline(record, detail.clientWidth || 700);
    let drawn = draw();
    // The text of the chart must keep its size.
    redraw = () => {
      const again = draw();
      drawn.replaceWith(again);
      drawn = again;
    };
    parts.push(drawn);
  }
  for (const [name, text] of Object.entries(record.logs)) {
    const log = make("pre", text);
    log.tabIndex = 0;
    parts.push(make("h3", name), log);
  }
  return parts;
};
let redraw = () => {};
addEventListener("resize", () => redraw());
const route = async () => {
  redraw = () => {};
  const [kind, ...words] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const page = kind === "cell" && words.length === 3 ? cellPage(...words) : kind === "run" && words.length === 1 ? runPage(words[0]) : null;
  overview.hidden = page !== null;
  detail.hidden = page === null;
  if (!page) return;
  const back = make("p");
  back.append(link("← all studies", "#"));
  let parts;
  try { parts = await page; } catch (cause) { parts = [make("p", String(cause.message), "error")]; }
  detail.replaceChildren(back, ...parts);
  detail.focus();
};
addEventListener("hashchange", route);

// Uses the page of a report as a reader would, and replaces the page with the results.
addEventListener("load", async () => {
  const shown = {};
  const wait = ms => new Promise(done => setTimeout(done, ms));
  const table = document.querySelector("table#table6");
  const head = [...table.tHead.rows[0].cells].find(cell => cell.title === "mean_a12");
  const column = () => [...table.tBodies[0].rows].map(row => row.cells[head.cellIndex].textContent);
  head.querySelector("button").click();
  shown.ascending = column();
  head.querySelector("button").click();
  shown.descending = column();
  const large = document.querySelector("table#coverage");
  if (large.closest("details")) large.closest("details").open = true;
  await wait(200);
  const tools = large.parentElement.previousElementSibling;
  tools.querySelector("input").value = "mio mean>0";
  tools.querySelector("input").dispatchEvent(new Event("input"));
  shown.filtered = tools.querySelector("span").textContent;
  const row = [...large.tBodies[0].rows].find(row => !row.hidden);
  const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  [...row.cells].at(-1).dispatchEvent(enter);
  // If the default were not prevented, the key would also press the button of the dialog, which has
  // the focus.
  shown.opened = document.querySelector("dialog").open && enter.defaultPrevented;
  shown.runs = document.querySelector("dialog p").textContent;
  document.querySelector("dialog td button").click();
  await wait(1000);
  shown.run = document.querySelector("dialog h3").textContent;
  shown.facts = [...document.querySelectorAll("dialog dd")].map(field => field.textContent);
  shown.points = document.querySelectorAll("dialog svg circle").length;
  const key = document.querySelector("#figure-best [data-key], #figure-coverage-over-time [data-key][role]");
  key.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  shown.pressed = key.getAttribute("aria-pressed");
  const all = [...key.closest("figure").querySelectorAll("[data-series]")];
  shown.hidden = all.filter(one => one.style.display === "none").length;
  shown.tooltips = document.querySelectorAll("figure svg title").length;
  const search = document.getElementById("search");
  search.value = "convergence";
  search.dispatchEvent(new Event("input"));
  const items = [...document.querySelectorAll("main .item")];
  shown.found = items.filter(item => !item.hidden && !item.closest("[hidden]")).length;
  const place = document.createElement("pre");
  place.id = "shown";
  place.textContent = JSON.stringify(shown);
  document.body.replaceChildren(place);
});

// The list of threads: filters, order, rows.

const PAGE = 200;
const CHOICES = [
  ["label", "Steadiness", (thread) => [thread.label]],
  ["set", "Eval set", (thread) => [thread.eval_set]],
  ["tag", "Tag", (thread) => thread.tags ?? []],
  ["rule", "Rule not held", (thread) => thread.breached],
  ["change", "Since the baseline", (thread) => (thread.change ? [thread.change] : [])],
];
const OUTCOMES = ["failed", "error", "passed", "skipped"];
const ORDERS = {
  worst: (one, other) => one.rank - other.rank,
  id: (one, other) => one.id.localeCompare(other.id, undefined, { numeric: true }),
  score: (one, other) => one.score - other.score,
  time: (one, other) => other.seconds - one.seconds,
};
const compared = THREADS.some((thread) => thread.change);
const repeated = THREADS.some((thread) => runsOf(thread).length > 1);
const COLUMNS = [
  ["worst", "Outcome"], ["id", "Thread"], ["score", "Turns passed"], repeated && [null, "Runs"],
  compared && [null, "Since the baseline"], ["time", "Time"],
].filter(Boolean);

let found = [];
let shownRows = PAGE;
let lastOpened = null;

function matches(thread, words) {
  const outcomes = outcomesOf(state.outcome);
  if (outcomes.length && !outcomes.includes(thread.outcome)) return false;
  if (CHOICES.some(([key, , values]) => state[key] && !values(thread).includes(state[key]))) return false;
  return words.every((word) => haystack(thread).includes(word));
}

function search() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const backwards = state.sort.startsWith("-");
  const order = ORDERS[state.sort.replace("-", "")] ?? ORDERS.worst;
  found = THREADS.filter((thread) => matches(thread, words)).sort((one, other) => (backwards ? -1 : 1) * order(one, other) || one.rank - other.rank);
}

function showList() {
  search();
  showFilters();
  showHead();
  byId("list").tBodies[0].replaceChildren(...found.slice(0, shownRows).map(row));
  const left = found.length - shownRows;
  byId("more").hidden = left <= 0;
  byId("more").textContent = `Show ${Math.min(left, PAGE)} more of ${left}`;
  const all = found.length === THREADS.length;
  byId("found").textContent = found.length ? (all ? `All ${count(found.length, "thread")}` : `${found.length} of ${count(THREADS.length, "thread")}`)
    : THREADS.length ? "No thread is like this: change or clear the filters." : "No thread came to an end.";
}

function showMore() {
  const begin = shownRows;
  shownRows += PAGE;
  showList();
  byId("list").tBodies[0].rows[begin]?.querySelector("a").focus();
}

function showHead() {
  const sort = state.sort || "worst";
  byId("list").tHead.rows[0].replaceChildren(...COLUMNS.map(([key, name]) => {
    if (!key) return h("th", { scope: "col" }, name);
    const is = sort.replace("-", "") === key;
    const backwards = is && sort.startsWith("-");
    const next = is && !backwards ? `-${key}` : key;
    return h("th", { scope: "col", class: key === "time" ? "number" : null, "aria-sort": is ? (backwards ? "descending" : "ascending") : null },
      h("button", { type: "button", class: "sort", onclick: () => sortBy(next) }, name, h("span", { "aria-hidden": "true" }, is ? (backwards ? " ▴" : " ▾") : "")));
  }));
}

function sortBy(order) {
  adjust({ sort: order === "worst" ? "" : order });
}

function row(thread) {
  thread.row ??= h("tr", { class: thread.outcome },
    h("td", {}, mark(thread.outcome), thread.label === "flaky" && [" ", mark("flaky")]),
    h("th", { scope: "row" },
      h("a", { href: "#", "data-thread": thread.id, onclick: (event) => { event.preventDefault(); openThread(thread); } }, isolated(thread.id)),
      thread.must_pass && h("span", { class: "tag must" }, "must pass"), (thread.tags ?? []).map((tag) => h("span", { class: "tag" }, isolated(tag))),
      h("p", { class: "headline", dir: "auto" }, plain(thread.outcome === "passed" ? thread.description || thread.headline || "" : thread.headline || thread.description || ""))),
    h("td", {}, turnBoxes(runsOf(thread)[thread.shown])),
    repeated && h("td", {}, runBoxes(thread)),
    compared && h("td", {}, thread.change && h("span", { class: `change ${thread.change.replaceAll(" ", "-")}`, title: thread.change_reason || null }, thread.change)),
    h("td", { class: "number" }, duration(thread.seconds)));
  return thread.row;
}

function turnBoxes(run) {
  const turns = run?.turns ?? [];
  const passed = turns.filter((turn) => turn.outcome === "passed").length;
  return [h("span", { class: "boxes", "aria-hidden": "true" }, turns.slice(0, 12).map((turn) => box(turn.outcome ?? "not run"))),
    h("span", { class: "of" }, turns.length ? `${passed} of ${turns.length}` : "no turns")];
}

function runBoxes(thread) {
  const passed = runsOf(thread).filter((run) => run.outcome === "passed").length;
  return [h("span", { class: "boxes", "aria-hidden": "true" }, runsOf(thread).slice(0, 12).map((run) => box(run.outcome))),
    h("span", { class: "of" }, `${passed} of ${thread.repetitions ?? 1}, ${thread.pass_runs ?? 1} must`)];
}

const box = (outcome) => h("span", { class: `box ${outcome.replaceAll(" ", "-")}`, title: outcome }, SIGNS[outcome] ?? "•");

function openThread(thread) {
  lastOpened = thread.id;
  go({ thread: thread.id, run: "" });
}

function showFilters() {
  const field = byId("filters").elements.q;
  if (document.activeElement !== field) field.value = state.q;
  const chosen = outcomesOf(state.outcome);
  for (const button of byId("outcomes").querySelectorAll("button")) button.setAttribute("aria-pressed", chosen.includes(button.value));
  for (const select of byId("selects").querySelectorAll("select")) {
    select.value = state[select.name];
    if (select.value !== state[select.name]) select.append(new Option(plain(state[select.name]), state[select.name], true, true));
    select.classList.toggle("set", select.value !== "");
  }
  byId("clear").hidden = FILTERS.every((key) => !state[key]);
}

function toggleOutcome(outcome) {
  const chosen = outcomesOf(state.outcome);
  filter({ outcome: (chosen.includes(outcome) ? chosen.filter((one) => one !== outcome) : [...chosen, outcome]).join(",") });
}

function filter(changes) {
  shownRows = PAGE;
  adjust(changes);
}

const clearFilters = () => filter(Object.fromEntries(FILTERS.map((key) => [key, ""])));

function makeFilters() {
  const found = tally((thread) => [thread.outcome]);
  byId("outcomes").append(...OUTCOMES.filter((one) => found.has(one)).map((one) =>
    h("button", { type: "button", class: "chip", value: one, "aria-pressed": "false", onclick: () => toggleOutcome(one) }, mark(one), h("span", { class: "of" }, ` ${found.get(one)}`))));
  for (const [key, name, values] of CHOICES) {
    const numbers = tally(values);
    if (numbers.size < (key === "rule" || key === "tag" ? 1 : 2)) continue;
    const options = [...numbers].sort(([one], [other]) => one.localeCompare(other)).map(([value, number]) =>
      new Option(`${plain(key === "rule" ? ruleLabel(value) : value)} (${number})`, value));
    byId("selects").append(h("label", {}, h("span", {}, name), h("select", { name: key, onchange: (event) => filter({ [key]: event.target.value }) }, new Option("any", ""), options)));
  }
}

function tally(values) {
  const numbers = new Map();
  for (const thread of THREADS) for (const value of values(thread)) numbers.set(value, (numbers.get(value) ?? 0) + 1);
  return numbers;
}

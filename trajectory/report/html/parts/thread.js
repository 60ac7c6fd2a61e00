// One thread: its runs as a strip, its conversation, the verdicts on the whole of it.

const article = byId("thread");
let shownThread = null;

function showThread(thread) {
  const runs = runsOf(thread);
  const chosen = Math.min(Math.max(Number.parseInt(state.run, 10) - 1 || 0, 0), Math.max(runs.length - 1, 0));
  const number = state.run ? chosen : thread.shown;
  const again = shownThread === thread;
  const unfolded = new Set([...article.querySelectorAll("details.turn[open]")].map((one) => one.id));
  const inStrip = again && article.querySelector(".strip")?.contains(document.activeElement);
  article.replaceChildren(...threadHead(thread), runStrip(thread, number) || "", ...runBody(thread, runs[number]));
  shownThread = thread;
  if (inStrip) article.querySelector(".strip [aria-checked=true]").focus();
  if (again) for (const turn of article.querySelectorAll("details.turn")) turn.open = turn.open || unfolded.has(turn.id);
  return again;
}

function threadHead(thread) {
  const place = found.indexOf(thread);
  const step = (other, name, key) => h("button", { type: "button", disabled: !other, "aria-keyshortcuts": key, onclick: () => openThread(other) }, name);
  return [
    h("nav", { class: "path", "aria-label": "Threads" },
      h("button", { type: "button", "aria-keyshortcuts": "Escape", onclick: closeThread }, "← All threads"),
      h("span", { class: "quiet" }, place < 0 ? "not among the filtered threads" : `${place + 1} of ${found.length}`),
      step(found[place - 1], "Previous", "p"), step(found[place + 1], "Next", "n")),
    h("header", {},
      h("h2", { id: "thread-title", tabindex: "-1" }, isolated(thread.id)),
      h("p", { class: "marks" }, mark(thread.outcome), thread.label !== thread.outcome && runsOf(thread).length > 1 && h("span", { class: "tag" }, thread.label),
        thread.must_pass && h("span", { class: "tag must" }, "must pass"), (thread.tags ?? []).map((tag) => h("span", { class: "tag" }, isolated(tag)))),
      thread.headline && h("p", { class: "headline" }, plain(thread.headline)),
      thread.description && h("p", { class: "quiet", dir: "auto" }, thread.description),
      thread.change && h("p", {}, h("span", { class: `change ${thread.change.replaceAll(" ", "-")}` }, thread.change), ` since the baseline${thread.change_reason ? `: ${thread.change_reason}` : ""}`),
      h("details", { class: "about" }, h("summary", {}, "Eval set and settings in force"),
        h("p", {}, h("code", {}, isolated(thread.eval_set))), h("pre", {}, json(DATA.settings[thread.settings] ?? {})))),
  ];
}

function runStrip(thread, chosen) {
  const runs = runsOf(thread);
  if (runs.length < 2) return null;
  const passed = runs.filter((run) => run.outcome === "passed").length;
  return h("div", { class: "runs" },
    h("div", { class: "strip", role: "radiogroup", "aria-label": "Runs of this thread" }, runs.map((run, index) =>
      h("button", { type: "button", role: "radio", "aria-checked": String(index === chosen), tabindex: index === chosen ? "0" : "-1", class: `box ${run.outcome}`, "aria-label": `run ${index + 1}: ${run.outcome}`, title: `run ${index + 1}: ${run.outcome}`, onclick: () => adjust({ run: String(index + 1) }) },
        h("span", { "aria-hidden": "true" }, SIGNS[run.outcome]), h("span", { "aria-hidden": "true" }, ` ${index + 1}`)))),
    h("p", { class: "quiet" }, `Run ${chosen + 1} of ${runs.length} is shown. ${passed} of ${thread.repetitions ?? runs.length} passed, ${thread.pass_runs ?? 1} must: ${thread.label}.`));
}

function runBody(thread, run) {
  if (!run) return [h("p", { class: "quiet" }, "No run of this thread came to an end.")];
  const turns = run.turns ?? [];
  const recorded = runsOf(thread)[0].turns ?? [];
  const failing = turns.some((turn) => turn.outcome === "failed" || turn.outcome === "error");
  const unfold = (turn) => (failing ? turn.outcome === "failed" || turn.outcome === "error" : turns.length <= 8);
  return [
    run.notes?.length ? notes(run.notes) : "",
    run.verdicts?.length ? h("section", { class: "whole", "aria-label": "The whole thread" }, h("h3", {}, "The whole thread"), verdicts(run.verdicts)) : "",
    turns.length > 1 ? h("p", { class: "fold" }, h("button", { type: "button", id: "fold", "aria-keyshortcuts": "e", onclick: foldAll }, "Unfold or fold all turns")) : "",
    ...turns.map((turn, index) => turnSection(turn, recorded[index]?.expected, turns.length, unfold(turn))),
    turns.length ? "" : h("p", { class: "quiet" }, "This run has no turns."),
    run.surplus?.length ? h("section", { class: "whole" }, h("h3", {}, `In the recording only: ${count(run.surplus.length, "turn")}`), h("ul", {}, run.surplus.map((query) => h("li", { dir: "auto" }, longText(query))))) : "",
    run.overlap ? h("p", { class: "quiet facts-line" }, overlap(run.overlap), typeof thread.f1 === "number" && ` F1 of the thread: ${Number(thread.f1.toFixed(4))}.`) : "",
  ];
}

function overlap(one) {
  const share = (paired, all) => (all ? `${paired} of ${all}` : "none");
  return `Over all turns ${share(one.expected_paired, one.expected)} expected calls have a partner, and ${share(one.actual_paired, one.actual)} actual ones.`;
}

function foldAll() {
  const turns = [...article.querySelectorAll("details.turn")];
  const unfold = turns.some((turn) => !turn.open);
  for (const turn of turns) turn.open = unfold;
}

/** Back to the list, with the same filters. */
function closeThread() {
  go({ thread: "", run: "" });
}

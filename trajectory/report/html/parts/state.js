// What the page shows is what its fragment says, so a link can be shared: #q=mug&outcome=failed,error&thread=...

const DATA = JSON.parse(byId("data").textContent);
const THREADS = DATA.threads;
const FILTERS = ["q", "outcome", "label", "set", "tag", "rule", "change"];
const PLACES = ["thread", "run", "sort"];

let state = {};

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries([...FILTERS, ...PLACES].map((key) => [key, given.get(key) ?? ""]));
}

function fragment(changes) {
  const wanted = { ...state, ...changes };
  const given = new URLSearchParams();
  for (const key of [...FILTERS, ...PLACES]) if (wanted[key]) given.set(key, wanted[key]);
  return "#" + (given.toString() || "all");
}

/** Go somewhere: a step that the browser's back button undoes. */
function go(changes) {
  location.hash = fragment(changes);
}

/** Change what is shown, without such a step. */
function adjust(changes) {
  const there = fragment(changes);
  if (there !== (location.hash || "#all")) location.replace(there);
}

const outcomesOf = (text) => (text ? text.split(",") : []);

/** The verdicts of a run, turn by turn and on the whole thread. */
const verdictsOf = (run) => [...(run.turns ?? []).flatMap((turn) => turn.verdicts ?? []), ...(run.verdicts ?? [])];

const runsOf = (thread) => thread.runs ?? [];

for (const thread of THREADS) {
  const unheld = runsOf(thread).flatMap(verdictsOf).filter((one) => one.outcome === "failed" || one.outcome === "error");
  thread.breached = [...new Set(unheld.map((one) => one.rule))];
  thread.seconds = runsOf(thread).flatMap((run) => run.turns ?? []).reduce((sum, turn) => sum + (turn.seconds ?? 0), 0);
}

/** All that a search looks through, in lower case; worked out when it is first asked for. */
function haystack(thread) {
  thread.haystack ??= [
    thread.id, thread.description, thread.headline, ...(thread.tags ?? []),
    ...runsOf(thread).flatMap((run) => [
      ...(run.notes ?? []), ...verdictsOf(run).flatMap((one) => [one.reason, ...(one.evidence ?? [])]),
      ...(run.turns ?? []).flatMap((turn) => [turn.query, turn.trace_id, turn.reason, ...(turn.details ?? []), ...sideTexts(turn.expected), ...sideTexts(turn.actual)]),
    ]),
  ].filter(Boolean).join("\n").toLowerCase();
  return thread.haystack;
}

function sideTexts(side) {
  if (!side) return [];
  return [side.response, side.error, ...(side.calls ?? []).flatMap((call) => [call.name, oneLine(call.arguments ?? null), call.result])];
}

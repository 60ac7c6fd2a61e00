// One turn: what the user said, both trajectories side by side, both answers, the verdicts.

const STEPS = {
  same: ["=", "same"],
  differs: ["≠", "differs"],
  missing: ["−", "missing"],
  unexpected: ["+", "unexpected"],
  "out of order": ["⇅", "out of order"],
  "not compared": ["·", "not compared"],
};

function turnSection(turn, recorded, total, unfolded) {
  const expected = turn.expected ?? recorded ?? {};
  const outcome = turn.outcome ?? "not run";
  return h("details", { class: `turn ${outcome.replaceAll(" ", "-")}`, id: `turn-${turn.number}`, open: unfolded },
    h("summary", {}, h("h3", {}, `Turn ${turn.number}`, h("span", { class: "quiet" }, ` of ${total}`)), mark(outcome),
      h("span", { class: "preview", dir: "auto" }, plain(turn.query ?? ""))),
    h("div", { class: "said" }, h("p", { class: "who" }, "User"), h("div", { class: "speech user", dir: "auto" }, longText(turn.query ?? ""))),
    turn.reason && h("p", { class: "reason" }, h("strong", {}, turn.outcome === "skipped" ? "skipped: " : "no verdict: "), longText(turn.reason)),
    turn.details?.length && h("pre", { class: "details" }, turn.details.join("\n")),
    trajectories(turn, expected),
    answers(expected, turn.actual),
    verdicts(turn.verdicts),
    notes(turn.notes),
    facts(turn, expected));
}

function trajectories(turn, expected) {
  const sides = { expected: expected.calls ?? [], actual: turn.actual?.calls ?? [] };
  const match = turn.match;
  const resolve = (side) => (match[side] ?? []).map((one) => (typeof one === "number" ? sides[side][one] : one));
  const compared = match ? { expected: resolve("expected"), actual: resolve("actual") } : sides;
  compared.unknown = !turn.actual;
  const steps = match ? match.steps ?? [] : inParallel(sides);
  if (!sides.expected.length && !sides.actual.length && !steps.length) return h("p", { class: "quiet none" }, turn.actual ? "No tool calls, neither recorded nor today." : "No tool calls were recorded.");
  return h("div", { class: "trajectories" },
    h("h4", {}, "Tool calls", match && h("span", { class: "quiet" }, ` ${match.mode}${match.vacuous ? ", nothing to check: a side is empty" : ""}`)),
    match?.undecided && h("p", { class: "reason" }, h("strong", {}, "no verdict: "), match.undecided),
    !turn.actual && h("p", { class: "quiet" }, "What the agent did is not known."),
    h("div", { class: "heads", "aria-hidden": "true" }, h("span", {}), h("span", {}, "expected"), h("span", {}, "actual")),
    h("ol", { class: "steps" }, steps.map((step) => stepItem(step, compared))),
    match && leftOut(match, sides));
}

const inParallel = (sides) => Array.from({ length: Math.max(sides.expected.length, sides.actual.length) }, (_, index) => ({
  kind: "not compared", expected: index < sides.expected.length ? index : null, actual: index < sides.actual.length ? index : null,
}));

function stepItem(step, compared) {
  const [sign, word] = STEPS[step.kind];
  const minded = step.breach || step.kind === "same" || step.kind === "not compared";
  return h("li", { class: `step ${step.kind.replaceAll(" ", "-")}${step.breach ? " breach" : ""}` },
    h("p", { class: "kind" }, h("span", { class: "sign", "aria-hidden": "true" }, sign), h("span", {}, ` ${word}`), !minded && h("span", { class: "quiet" }, " allowed")),
    ["expected", "actual"].map((side) => {
      const call = compared[side][step[side] ?? -1];
      return h("div", { class: `side ${side}` }, h("span", { class: "sidename" }, side), call ? callBlock(call, step, side) : h("p", { class: "quiet absent" }, side === "actual" && compared.unknown ? "not known" : "no call"));
    }),
    step.differences?.length > 0 && differenceList(step.differences));
}

function callBlock(call, step, side) {
  const number = step[side];
  return h("div", { class: "call" },
    h("p", { class: "name" }, typeof number === "number" && h("span", { class: "quiet" }, `${number + 1}. `), h("code", {}, isolated(call.name)),
      call.agent && h("span", { class: "quiet" }, " by ", isolated(call.agent)),
      call.error && h("span", { class: "tag bad" }, "the call failed"),
      call.arguments_state === "malformed" && h("span", { class: "tag bad" }, "malformed arguments")),
    call.arguments_state === "not_recorded" ? h("p", { class: "quiet" }, "arguments not recorded") : argumentsBlock(call, step, side),
    result(call));
}

function argumentsBlock(call, step, side) {
  if (call.arguments_state === "malformed") {
    return h("pre", {}, h("code", { class: "json" }, longText(asText(call.arguments ?? ""))));
  }
  return h("pre", {}, json(call.arguments ?? null, step.differences ?? [], side));
}

function result(call) {
  if (!call.result_recorded) return null;
  if (!call.result) return h("p", { class: "quiet" }, "empty result");
  return h("details", { class: "result" }, h("summary", {}, "result ", h("span", { class: "quiet" }, count(call.result.length, "character"))), h("pre", { dir: "auto" }, longText(call.result, 4000)));
}

/** Calls that the settings kept out of the comparison. */
function leftOut(match, sides) {
  const left = ["expected", "actual"].map((side) => [side, sides[side].filter((_, index) => !(match[side] ?? []).includes(index))]);
  if (left.every(([, calls]) => !calls.length) || ["expected", "actual"].some((side) => (match[side] ?? []).some((one) => typeof one !== "number"))) return null;
  return h("details", { class: "left-out" }, h("summary", {}, `Not compared: ${left.map(([side, calls]) => `${calls.length} ${side}`).join(", ")}`),
    h("ul", {}, left.flatMap(([side, calls]) => calls.map((call) => h("li", {}, `${side}: `, h("code", {}, isolated(call.name), " ", longText(oneLine(call.arguments ?? null), 300)))))));
}

function answers(expected, actual) {
  const texts = [expected.response, actual?.response];
  const errors = [expected.error, actual?.error];
  if (![...texts, ...errors].some(Boolean)) return null;
  if (texts[0] && texts[0] === texts[1] && !errors.some(Boolean)) {
    return h("div", { class: "said" }, h("p", { class: "who" }, "Agent ", h("span", { class: "quiet" }, "the same answer as recorded")), h("div", { class: "speech", dir: "auto" }, longText(texts[0])));
  }
  return h("div", { class: "answers" }, ["expected", "actual"].map((side, index) => h("div", { class: "said" },
    h("p", { class: "who" }, "Agent ", h("span", { class: "quiet" }, index === 0 ? "as recorded" : "today")),
    texts[index] ? h("div", { class: "speech", dir: "auto" }, longText(texts[index])) : h("p", { class: "quiet" }, index === 1 && !actual ? "not known" : "no answer"),
    errors[index] && h("p", { class: "reason" }, h("strong", {}, "error: "), longText(errors[index])))));
}

function verdicts(given) {
  if (!given?.length) return null;
  return h("ul", { class: "verdicts", "aria-label": "Verdicts" }, given.map((one) => h("li", { class: one.outcome },
    mark(one.outcome),
    h("p", {}, h("strong", {}, ruleLabel(one.rule)),
      typeof one.score === "number" && h("span", { class: "score" }, h("meter", { min: 0, max: 1, value: one.score, "aria-label": `score of ${ruleLabel(one.rule)}` }), ` ${Number(one.score.toPrecision(3))}`)),
    one.reason && h("p", { class: "why", dir: "auto" }, longText(one.reason)),
    one.evidence?.length && h("ul", { class: "evidence" }, one.evidence.map((line) => h("li", { dir: "auto" }, longText(line, 600)))))));
}

const notes = (given) => given?.length && h("ul", { class: "notes", "aria-label": "Notes" }, given.map((note) => h("li", {}, h("strong", {}, "note: "), longText(note))));

function facts(turn, expected) {
  const today = turn.actual ?? {};
  const tokens = (side) => (side.input_tokens ?? side.output_tokens) === undefined ? null : `${side.input_tokens ?? "?"} in, ${side.output_tokens ?? "?"} out tokens`;
  const told = [
    duration(turn.seconds ?? 0), tokens(today) ?? (tokens(expected) && `recorded: ${tokens(expected)}`),
    typeof today.cost_usd === "number" && `${Number(today.cost_usd.toPrecision(4))} USD`, today.models?.join(", "), turn.trace_id && `trace ${turn.trace_id}`,
  ].filter(Boolean);
  return h("p", { class: "quiet facts-line" }, plain(told.join(" · ")));
}

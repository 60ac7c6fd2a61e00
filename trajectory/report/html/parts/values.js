// Recorded JSON as text. Numbers that JavaScript would change come as texts that begin with NUL and "#".

const SHORT = 72;
const LONG_TEXT = 1500;

const isNumberText = (value) => typeof value === "string" && value.startsWith("\0#");
const asText = (value) => (value.startsWith("\0") ? value.slice(1) : value);
const token = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
const isContainer = (value) => typeof value === "object" && value !== null;

/** JSON on one line. */
function oneLine(value) {
  if (isNumberText(value)) return value.slice(2);
  if (typeof value === "string") return JSON.stringify(asText(value));
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isContainer(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`).join(", ")}}`;
}

/** A text of any length; a long one is cut until a reader asks for the rest. */
function longText(text, limit = LONG_TEXT) {
  if (text.length <= limit) return textNodes(text);
  const rest = h("button", { type: "button", class: "rest", onclick: () => rest.replaceWith(...textNodes(text.slice(cut))) });
  let cut = limit;
  if (/[\ud800-\udbff]/.test(text[cut - 1])) cut -= 1;
  add(rest, [`… show ${text.length - cut} more characters`]);
  return [...textNodes(text.slice(0, cut)), rest];
}

/** Pretty JSON of one side, the places that differ marked. */
function json(value, differences = [], side = "expected") {
  const places = new Map(differences.map((one) => [one.pointer, one]));
  const code = h("code", { class: "json", dir: "ltr" });
  write(code, value, "", 0, places, side);
  return code;
}

function write(out, value, pointer, depth, places, side) {
  const place = places.get(pointer);
  if (place && place.absent !== side) {
    const word = place.absent ? "only here" : "differs";
    const marked = h("mark", { class: place.absent ? "only" : "differs", title: word }, h("span", { class: "sr" }, `${word}: `));
    out.append(marked);
    out = marked;
  }
  if (isContainer(value)) writeContainer(out, value, pointer, depth, places, side);
  else if (typeof value === "string" && !isNumberText(value)) out.append(h("bdi", { class: "text" }, longText(oneLine(value))));
  else out.append(h("span", { class: "scalar" }, oneLine(value)));
}

function writeContainer(out, value, pointer, depth, places, side) {
  const ghosts = [...places.values()].filter((one) => one.absent === side && one.pointer.slice(0, one.pointer.lastIndexOf("/")) === pointer && one.pointer);
  const touched = ghosts.length > 0 || [...places.keys()].some((one) => one.startsWith(pointer + "/"));
  const flat = touched ? "" : oneLine(value);
  if (!touched && flat.length <= SHORT) {
    out.append(h("bdi", {}, textNodes(flat)));
    return;
  }
  const isList = Array.isArray(value);
  const items = isList ? value.map((item, index) => [index, item]) : Object.entries(value);
  const margin = "\n" + "  ".repeat(depth + 1);
  add(out, [isList ? "[" : "{"]);
  items.forEach(([key, item], index) => {
    add(out, [margin]);
    if (!isList) out.append(h("bdi", { class: "key" }, JSON.stringify(key)), ": ");
    write(out, item, `${pointer}/${token(key)}`, depth + 1, places, side);
    if (index < items.length - 1 || ghosts.length) add(out, [","]);
  });
  for (const ghost of ghosts) add(out, [margin, h("mark", { class: "ghost" }, `${lastStep(ghost.pointer, isList)}nothing here`)]);
  add(out, ["\n" + "  ".repeat(depth), isList ? "]" : "}"]);
}

function lastStep(pointer, isList) {
  const step = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~");
  return isList ? "" : `${JSON.stringify(step)}: `;
}

/** What differs, place by place: expected → actual. */
function differenceList(differences) {
  return h("ul", { class: "differences", "aria-label": "Differences" }, differences.map((one) => {
    const [expected, actual] = contrasted(one);
    return h("li", {},
      h("code", { class: "pointer" }, one.pointer === "" ? "the arguments" : plain(one.pointer)), " ",
      h("span", { class: "sr" }, "expected "), expected, h("span", { class: "arrow", "aria-hidden": "true" }, " → "),
      h("span", { class: "sr" }, ", actual "), actual,
      one.hint && h("span", { class: "hint" }, ` ${one.hint}`));
  }));
}

function contrasted(one) {
  const texts = ["expected", "actual"].map((side) => (one.absent === side ? null : oneLine(one[side] ?? null)));
  const [from, to] = one.absent ? [0, 0] : commonEnds(...texts);
  return texts.map((text, index) => {
    const kind = index === 0 ? "was" : "now";
    if (text === null) return h("span", { class: `${kind} nothing` }, "nothing");
    const end = text.length - to;
    return h("bdi", { class: kind }, from || to
      ? [...longText(text.slice(0, from), 200), h("b", {}, longText(text.slice(from, end), 600)), ...longText(text.slice(end), 200)]
      : longText(text, 600));
  });
}

/** How long the ends are that two longer texts share: what lies between them is what differs. */
function commonEnds(one, other) {
  const most = Math.min(one.length, other.length);
  if (most < 12) return [0, 0];
  let from = 0;
  while (from < most && one[from] === other[from]) from += 1;
  if (from && /[\ud800-\udbff]/.test(one[from - 1])) from -= 1;
  let to = 0;
  while (to < most - from && one.at(-1 - to) === other.at(-1 - to)) to += 1;
  if (to && /[\udc00-\udfff]/.test(one.at(-to))) to -= 1;
  return [from, to];
}

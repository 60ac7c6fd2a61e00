"use strict";
// Elements are only made here, and text only becomes text nodes: nothing that was recorded is ever read as markup.

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const UNSEEN_RUNS = /((?:(?![\n\t])[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs})+)/u;

const byId = (id) => document.getElementById(id);

function escapedCharacter(character) {
  const code = character.codePointAt(0);
  if (code <= 0xff) return "\\x" + code.toString(16).padStart(2, "0");
  return code <= 0xffff ? "\\u" + code.toString(16).padStart(4, "0") : `\\u{${code.toString(16)}}`;
}

const escapedText = (text) => Array.from(text, escapedCharacter).join("");

/** A text on one line, all that does not print as escapes: for attributes, titles and whatever must not break. */
function plain(text) {
  return UNSEEN.test(text) ? Array.from(text, (one) => (UNSEEN.test(one) ? escapedCharacter(one) : one)).join("") : text;
}

/** The nodes of a text: line feeds and tabs stay, other unseen characters stand as marked escapes. */
function textNodes(text) {
  if (!UNSEEN.test(text)) return [document.createTextNode(text)];
  return text.split(UNSEEN_RUNS).filter(Boolean).map((part) => {
    if (!UNSEEN_RUNS.test(part)) return document.createTextNode(part);
    const span = document.createElement("span");
    span.className = "escape";
    span.textContent = escapedText(part);
    return span;
  });
}

/** Make an element: attributes by name (false and null leave one out), listeners as `onclick` and the like. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : plain(String(value)));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(...(child instanceof Node ? [child] : textNodes(String(child))));
  }
}

const isolated = (text) => h("bdi", {}, plain(text));
const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

const SIGNS = { passed: "✓", failed: "✗", error: "!", skipped: "–", flaky: "≈", "not run": "·" };

/** A word with a sign before it, never colour alone. */
function mark(word, text = word) {
  return h("span", { class: `mark ${word.replaceAll(" ", "-")}` }, h("span", { "aria-hidden": "true" }, SIGNS[word] ?? "•"), ` ${text}`);
}

const ruleLabel = (name) => name.replaceAll("_", " ");

function duration(seconds) {
  if (typeof seconds !== "number") return "";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

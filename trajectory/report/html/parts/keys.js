// What the fragment says is shown; keys and the theme.

const THEMES = ["system", "light", "dark"];
const TITLE = document.title;
let leftAt = 0;
let typing = 0;
let searchesNext = false;

function show() {
  state = readState();
  const thread = state.thread && THREADS.find((one) => one.id === state.thread);
  if (thread) search();
  else showList();
  byId("threads").hidden = byId("overview").hidden = Boolean(thread);
  article.hidden = !thread;
  document.title = thread ? `${plain(thread.id)} - ${TITLE}` : TITLE;
  if (thread) arrive(thread);
  else leave();
  if (state.thread && !thread) byId("found").textContent = `This run has no thread ${plain(state.thread)}. ${byId("found").textContent}`;
}

function arrive(thread) {
  if (showThread(thread)) return;
  lastOpened = thread.id;
  window.scrollTo(0, 0);
  byId("thread-title").focus({ preventScroll: true });
}

function leave() {
  if (!shownThread) return;
  shownThread = null;
  article.replaceChildren();
  const place = found.findIndex((thread) => thread.id === lastOpened);
  if (place >= shownRows) {
    shownRows = place + 1;
    showList();
  }
  window.scrollTo(0, leftAt);
  if (searchesNext) toSearch();
  else found[place]?.row?.querySelector("a").focus();
  searchesNext = false;
}

/** Move the focus among elements that stand in an order. */
function move(elements, by) {
  if (!elements.length) return;
  const place = elements.findIndex((one) => one === document.activeElement || one.contains(document.activeElement));
  const next = elements[place < 0 ? 0 : Math.min(Math.max(place + by, 0), elements.length - 1)];
  next.focus();
  next.closest("tr, details")?.scrollIntoView({ block: article.hidden ? "nearest" : "start" });
}

function moveInList(by) {
  const links = [...byId("list").tBodies[0].querySelectorAll("a")];
  if (by > 0 && links.at(-1) === document.activeElement && !byId("more").hidden) showMore();
  else move(links, by);
}

const moveInThread = (by) => move([...article.querySelectorAll("details.turn > summary")], by);

function moveToThread(by) {
  const other = found[found.indexOf(shownThread) + by];
  if (other) openThread(other);
}

function moveToRun(by) {
  const runs = [...article.querySelectorAll(".strip button")];
  runs[runs.findIndex((one) => one.getAttribute("aria-checked") === "true") + by]?.click();
}

const IN_LIST = {
  j: () => moveInList(1), k: () => moveInList(-1), ArrowDown: () => moveInList(1), ArrowUp: () => moveInList(-1), Escape: clearFilters,
};
const IN_THREAD = {
  j: () => moveInThread(1), k: () => moveInThread(-1), n: () => moveToThread(1), p: () => moveToThread(-1),
  ArrowLeft: () => moveToRun(-1), ArrowRight: () => moveToRun(1), e: foldAll, Escape: closeThread,
};
const ANYWHERE = { "/": toSearch, t: nextTheme, "?": help };

function toSearch() {
  if (article.hidden) {
    byId("filters").elements.q.select();
    return;
  }
  searchesNext = true;
  closeThread();
}

function help() {
  byId("help").showModal();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const field = event.target.closest("input, select");
  if (field) {
    if (event.key === "Escape") field.blur();
    if (event.key === "ArrowDown" && field.type === "search") moveInList(1);
    return;
  }
  const act = (article.hidden ? IN_LIST : IN_THREAD)[event.key] ?? ANYWHERE[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "system";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  setTheme(next);
  try {
    localStorage.setItem("trajectory-theme", next);
  } catch {
    // A browser may keep nothing for a file: then the choice holds for this page.
  }
}

function keptTheme() {
  try {
    return localStorage.getItem("trajectory-theme") ?? "system";
  } catch {
    return "system";
  }
}

function start() {
  document.body.classList.add("scripted");
  for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
  setTheme(THEMES.includes(keptTheme()) ? keptTheme() : "system");
  makeFilters();
  byId("theme").addEventListener("click", nextTheme);
  byId("keys").addEventListener("click", help);
  byId("more").addEventListener("click", showMore);
  byId("clear").addEventListener("click", clearFilters);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    (article.hidden ? byId("threads") : byId("thread-title")).focus();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").elements.q.addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => filter({ q: event.target.value }), 120);
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("scroll", () => {
    if (article.hidden) leftAt = window.scrollY;
  }, { passive: true });
  window.addEventListener("hashchange", show);
  show();
}

start();

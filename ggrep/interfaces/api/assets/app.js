// The page: reads its state from the address, shows the view of it, and follows keys and links.

import { Failure, get, post, stream, unlock, unlockByAddress, whenUnlocked } from "./api.js";
import { $, h } from "./dom.js";
import { fileView } from "./file.js";
import { statusView, tourView } from "./repositories.js";
import { failureNode, repositoryStates, results, searchBody, summaryOf } from "./results.js";
import { slateView } from "./slate.js";
import { Places, addressOf, pastQueries, readState, settings } from "./state.js";

const TYPING_MS = 30;
let places = null;
let state = readState();
let work = new AbortController();
let typing = 0;
let refused = "";
let shown = null;

const place = () => places.of(state);

/** Change the state; a change that is typed replaces the entry of the history. */
function go(change, { replace = false } = {}) {
  const next = addressOf({ ...state, ...change });
  if (next !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", next);
  show();
}

async function searchView({ signal }) {
  const [at, began, rows] = [place(), performance.now(), new Map()];
  const body = searchBody(state, at);
  const context = { state, go, place: at, rows, signal, room: innerHeight + (kept.get(addressOf(state)) ?? 0) };
  // Of a thousand repositories many arrive within a frame.
  let drawing = 0;
  const arrived = (row) => {
    rows.set(row.alias ?? row.repoId, row);
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      if (signal.aborted) return;
      $("#summary").textContent = `${rows.size} of ${row.total} repositories`;
      $(".states")?.replaceWith(repositoryStates(at, rows, state.only));
    });
  };
  const request = at.workspace ? stream("/search/federated/stream", body, signal, arrived) : post("/search", body, signal);
  if (at.workspace) {
    const hits = $("#main .hits");
    if (!hits?.querySelector(".states")) $("#main").replaceChildren(h("div", { class: "hits" }, repositoryStates(at, rows, state.only)));
    else hits.querySelector(".states").replaceWith(repositoryStates(at, rows, state.only));
  }
  const answer = await request.finally(() => cancelAnimationFrame(drawing));
  for (const { alias, repoId, status } of answer.repos ?? []) {
    const name = alias ?? repoId;
    if (!rows.has(name)) rows.set(name, { status, count: 0 });
  }
  return { nodes: results(answer, context), summary: summaryOf(answer, performance.now() - began) };
}

async function startView() {
  const past = pastQueries.all().slice(0, 8);
  return {
    nodes: [h("div", { class: "start" },
      h("h2", null, `Search ${place().name}`),
      h("p", null, "Ask in your own words, or type a name or a piece of code. “Quoted text” is matched exactly."),
      past.length ? h("section", null, h("h3", null, "Earlier queries"), h("ul", null, past.map((q) => h("li", null, h("a", { href: addressOf({ ...state, q }) }, q)))),
        h("button", { type: "button", onclick: () => { pastQueries.clear(); show(); } }, "Forget them")) : null)],
    summary: "",
  };
}

async function nowhere() {
  throw new Failure(1, { message: "there is nothing to search here; to start with a repository: ggrep ui DIR" });
}

function viewOf() {
  if (state.file) return fileView;
  if (state.view === "tour") return tourView;
  if (state.view === "status") return statusView;
  if (!state.q.trim()) return startView;
  return state.view === "slate" ? slateView : searchView;
}

/** Show the state of the address. */
async function show() {
  const before = state;
  state = readState();
  work.abort();
  work = new AbortController();
  const { signal } = work;
  // The request leaves before the page changes.
  const request = places && (place() ? viewOf() : nowhere)({ state, go, places, place: place(), signal, isOpen: shown?.startsWith(`${state.file}\0`) });
  frame();
  if (!request) return;
  const bar = setTimeout(() => { $("#bar").hidden = false; }, 150);
  let view;
  try {
    view = await request;
  } catch (failure) {
    if (failure.name === "AbortError") return clearTimeout(bar);
    if (failure.status === 401) view = lockedView();
    else view = { nodes: [failureNode(failure instanceof Failure ? failure : new Failure(1, { message: String(failure) }), place())], summary: "" };
  }
  clearTimeout(bar);
  if (signal.aborted) return;
  $("#bar").hidden = true;
  const here = [state.file, state.line, state.repo].join("\0");
  const anchor = here === shown && state.file ? document.elementFromPoint(innerWidth / 2, innerHeight * 0.4)?.closest("article .line") : null;
  const top = anchor?.getBoundingClientRect().top;
  $("#main").replaceChildren(...view.nodes.filter(Boolean));
  $("#summary").textContent = view.summary;
  shown = here;
  // A name in the file that is open does not move its reader.
  const again = anchor && document.querySelector(`article .line[data-n="${anchor.dataset.n}"]`);
  if (again) {
    again.scrollIntoView({ block: "start" });
    scrollBy(0, again.getBoundingClientRect().top - top);
  }
  else if (view.target) view.target.scrollIntoView({ block: "center" });
  else if (before.file !== state.file || before.view !== state.view) scrollTo(0, kept.get(addressOf(state)) ?? 0);
  if (before.file !== state.file && state.file) $("#file-title")?.focus({ preventScroll: true });
}

/** Positions of earlier views, for the way back. */
const kept = new Map();
addEventListener("scrollend", () => kept.set(location.pathname + location.search, scrollY));

function frame() {
  const input = $("#query");
  if (document.activeElement !== input || !typing) input.value = state.q;
  $("#find").value = state.find;
  document.title = [state.file.split("/").at(-1), state.q, "ggrep"].filter(Boolean).join(" · ");
  const current = state.file ? "" : state.view || "search";
  for (const link of document.querySelectorAll("nav [data-view]")) {
    const { view } = link.dataset;
    link.href = addressOf({ ...state, view: view === "search" ? "" : view, file: "", line: "", name: "" });
    link.toggleAttribute("aria-current", view === current);
  }
  if (!places) return;
  const select = $("#place");
  select.hidden = places.all.length < 2;
  select.value = place()?.name ?? "";
}

function lockedView() {
  const open = async (event) => {
    event.preventDefault();
    try {
      await unlock(new FormData(event.target).get("token").trim());
      await start();
    } catch (failure) {
      event.target.querySelector("[role=alert]").textContent = failure.status === 401 ? "This is not the token." : failure.message;
    }
  };
  return {
    nodes: [h("form", { class: "locked", onsubmit: open }, h("h2", null, "This page has no key, or its key has ended"),
      h("p", null, "Run ", h("code", null, "ggrep ui"), " and open the address that it prints, or enter the token: the line in the file ", h("code", null, "api-token"), " of the ggrep home."),
      h("label", null, "Token ", h("input", { type: "password", name: "token", autocomplete: "off", required: true })), h("button", null, "Open"), h("p", { role: "alert" }, refused))],
    summary: "",
  };
}

function help() {
  const dialog = $("#help");
  const rows = [["/", "edit the query"], ["j, k", "next, previous hit"], ["Enter", "open the hit"], ["Esc", "leave the field, the name, the file"], ["?", "this page"]];
  const names = Object.keys(places?.editors ?? {});
  const choose = (key, values) => h("select", { onchange: (event) => { settings.set(key, event.target.value); applyTheme(); show(); } },
    values.map(([value, text]) => h("option", { value, selected: settings.get(key) === value }, text)));
  dialog.replaceChildren(
    h("h2", { id: "help-title" }, "Keys and settings"),
    h("table", null, h("tbody", null, rows.map(([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", null, key)), h("td", null, text))))),
    h("p", null, h("label", null, "Colours ", choose("theme", [["", "as the system"], ["light", "light"], ["dark", "dark"]]))),
    h("p", null, h("label", null, "Editor ", choose("editor", [["", "none"], ...names.map((name) => [name, name])]))),
    h("p", { class: "note" }, places ? `ggrep ${places.version}` : ""),
    h("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function applyTheme() {
  const theme = settings.get("theme");
  document.documentElement.toggleAttribute("data-light", theme === "light");
  document.documentElement.toggleAttribute("data-dark", theme === "dark");
}

function step(by) {
  const hits = [...document.querySelectorAll("#main .jump")];
  const at = hits.indexOf(document.activeElement);
  const next = hits[at < 0 ? (by > 0 ? 0 : -1) : at + by] ?? (at < 0 ? hits.at(-1) : null);
  if (!next) return;
  next.focus({ preventScroll: true });
  next.closest("li, article").scrollIntoView({ block: "nearest" });
}

function leave() {
  if (state.name) go({ name: "" });
  else if (state.file) go({ file: "", line: "", repo: "" });
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("#help").open) return;
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    // The browser would empty a field of this kind, and the query with it.
    event.preventDefault();
    if (field) field.blur();
    else leave();
  } else if (!field) {
    const action = { "/": () => $("#query").select(), j: () => step(1), k: () => step(-1), "?": help }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
});

// Links of the page change its state without a load; all others are the browser's.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.getAttribute("href"), location.href);
  if (url.origin !== location.origin || url.pathname !== "/" || url.hash) return;
  event.preventDefault();
  if (state.q.trim()) pastQueries.add(state.q);
  if (url.href !== location.href) history.pushState(null, "", url);
  show();
});
addEventListener("popstate", () => show());

let typed = -TYPING_MS;
$("#query").addEventListener("input", (event) => {
  const ask = () => {
    typed = performance.now();
    go({ q: event.target.value, file: "", line: "", name: "", n: "", view: state.view === "slate" ? "slate" : "" }, { replace: Boolean(state.q) && !state.file });
    typing = 0;
  };
  clearTimeout(typing);
  const wait = typed + TYPING_MS - performance.now();
  typing = wait > 0 ? setTimeout(ask, wait) : -1;
  if (wait <= 0) ask();
});
$("#search").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  typing = 0;
  const q = $("#query").value;
  if (q.trim()) pastQueries.add(q);
  history.pushState(null, "", addressOf({ ...state, q, file: "", line: "", name: "", n: "" }));
  show().then(() => $("#query").blur());
});
$("#find").addEventListener("change", (event) => go({ find: event.target.value, file: "" }));
$("#place").addEventListener("change", (event) => go({ in: event.target.value, f: [], only: [], file: "", repo: "", line: "", name: "" }));
$("#keys").addEventListener("click", help);
whenUnlocked(() => start());

async function start() {
  try {
    places = new Places(await get("/places"));
    refused = "";
    $("#place").replaceChildren(...places.all.map(({ name }) => h("option", { value: name }, name)));
    await show();
  } catch (failure) {
    const view = failure.status === 401 ? lockedView() : { nodes: [failureNode(failure)] };
    $("#main").replaceChildren(...view.nodes);
  }
}

applyTheme();
frame();
if (matchMedia("(hover: hover)").matches && !state.file && !state.q && !state.view) $("#query").focus();
refused = await unlockByAddress();
await start();

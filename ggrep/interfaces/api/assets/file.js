// One file: its text, its outline, and where a name in it is defined and used.

import { get, post } from "./api.js";
import { codeBlock, codeLines, numberAt, wordAt } from "./code.js";
import { $, appendLater, count, h, withCommands } from "./dom.js";
import { addressOf, fileAddress, settings, shortName } from "./state.js";

const MOST_BYTES = 2_000_000;
const BLOCK = 100;
const [HOVER_MS, HOVER_LINES, HOVER_PX] = [250, 12, 12];

const rangeOf = (text) => {
  const [first, last] = text.split("-").map(Number);
  return first ? [first, last || first] : null;
};

function outlineNode(entries, state) {
  if (!entries.length) return null;
  return h("details", { class: "outline", open: matchMedia("(min-width: 60rem)").matches }, h("summary", null, "Outline"),
    h("ul", null, entries.map((entry) => {
      const item = h("li", null, h("a", { href: fileAddress(state, state.file, entry.start_line), title: entry.signature || entry.name },
        h("span", { class: "kind" }, entry.kind), " ", entry.name));
      item.style.paddingInlineStart = `${entry.depth}rem`;
      return item;
    })));
}

export async function fileView(context) {
  const { state, places, signal, isOpen } = context;
  const root = places.root(state, state.repo);
  const ask = (path, body) => post(path, { ...body, root }, signal);
  const outline = ask("/outline", { path: state.file, depth: 9, maxBytes: 60_000 }).catch(() => null);
  const text = await ask("/expand", { target: state.file, boundary: "file", maxBytes: MOST_BYTES });
  const range = rangeOf(state.line);
  const inRange = (number) => range && range[0] <= number && number <= range[1];
  const lines = codeLines(text.content, text.start_line, text.language, state.name ? [state.name] : [], inRange);
  const blocks = [];
  for (let from = 0; from < lines.length; from += BLOCK) blocks.push(lines.slice(from, from + BLOCK));
  const click = (event) => (numberAt(event) ? context.go({ line: numberAt(event) }) : open(wordAt(event)));
  const code = codeBlock([], { onclick: click, ...hover(context) });
  // The block of the wanted line is needed at once, the others follow without delay to the first paint.
  // A file that is open keeps its height.
  const upTo = isOpen ? blocks.length || 1 : range ? Math.ceil(range[1] / BLOCK) + 1 : 2;
  appendLater(code, blocks.map((block) => () => h("div", { class: "block" }, block)), signal, upTo);
  const open = (word) => word && context.go({ name: word });
  const link = editorLink(context, root, range?.[0] ?? 1);
  const side = h("aside", { class: "side", "aria-label": "Outline and names" });
  const article = h("article", { class: "view" },
    h("div", { class: "title" },
      h("h2", { id: "file-title", tabindex: "-1" }, state.repo && h("span", { class: "repo" }, shortName(state.repo)), state.file),
      h("p", { class: "note" }, `${text.language} · ${count(text.file_lines, "line")}`, link && " · ", link,
        state.q && [" · ", h("a", { href: addressOf({ ...state, file: "", line: "", name: "", repo: "" }) }, "back to results (Esc)")])),
    text.hidden_lines ? h("p", { class: "notices" }, `${count(text.hidden_lines, "line")} more are not shown.`) : null,
    h("form", { class: "names", onsubmit: (event) => { event.preventDefault(); open(new FormData(event.target).get("name").trim()); } },
      h("label", null, "Definitions and usages of ", h("input", { name: "name", value: state.name, placeholder: "a name, or click one", spellcheck: "false", autocomplete: "off" })),
      h("button", null, "Show")),
    code);
  const target = code.querySelector(".target");
  outline.then((answer) => {
    const node = outlineNode(answer?.outlines[0]?.entries ?? [], state);
    if (node) side.append(node);
  });
  if (state.name) namePanel(context).then((panel) => side.prepend(panel), () => null);
  return { nodes: [h("div", { class: "split" }, article, side)], target, summary: "" };

  function editorLink() {
    const form = places.editors[settings.get("editor")];
    if (!form || !root) return null;
    const path = `${root}/${state.file}`.split("/").map(encodeURIComponent).join("/");
    return h("a", { class: "editor", href: form.replace("{path}", path).replace("{line}", String(range?.[0] ?? 1)) }, "open in editor");
  }
}

/** Listeners that show the definition of a name while the mouse rests on it. */
function hover({ state, places, place, signal }) {
  const known = new Map();
  let [timer, shown, box] = [0, "", null];
  const later = (action) => {
    clearTimeout(timer);
    timer = setTimeout(() => signal.aborted || action(), HOVER_MS);
  };
  const hide = () => {
    clearTimeout(timer);
    box?.remove();
    [shown, box] = ["", null];
  };
  const define = async (name) => {
    const where = place.workspace ? { workspacePath: place.workspace } : { root: places.root(state, state.repo) };
    const { definitions: [first], total } = await post(place.workspace ? "/symbol/federated" : "/symbol", { name, limit: 1, ...where }, signal);
    if (!first) return null;
    const repo = first.repoAlias ?? first.repoId ?? state.repo;
    const text = await post("/expand", { target: `${first.path}:${first.line}`, boundary: "definition", maxBytes: 4_000, root: places.root(state, repo) }, signal);
    const lines = text.content.split("\n").slice(0, HOVER_LINES).join("\n");
    return [h("p", { class: "note" }, place.workspace && h("span", { class: "repo" }, shortName(repo)), `${first.path}:${first.line}`, total > 1 && ` and ${total - 1} more`),
      codeBlock(codeLines(lines, text.start_line, text.language, [name]))];
  };
  const show = async (event) => {
    const name = wordAt(event);
    if (name === shown) return;
    hide();
    shown = name;
    if (!name) return;
    if (!known.has(name)) known.set(name, define(name).catch(() => null));
    const nodes = await known.get(name);
    if (!nodes || shown !== name || signal.aborted) return;
    box = h("div", { class: "hover", role: "tooltip", onmouseenter: () => clearTimeout(timer), onmouseleave: () => later(hide) }, nodes);
    $("#main").append(box);
    const [below, above] = [event.clientY + HOVER_PX, event.clientY - HOVER_PX - box.offsetHeight];
    box.style.left = `${Math.max(0, Math.min(event.clientX, document.documentElement.clientWidth - box.offsetWidth))}px`;
    box.style.top = `${below + box.offsetHeight < innerHeight || above < 0 ? below : above}px`;
  };
  const close = (event) => {
    if (event.key !== "Escape" || !box) return;
    event.stopPropagation();
    hide();
  };
  addEventListener("keydown", close, { signal, capture: true });
  addEventListener("scroll", hide, { signal });
  return { onmousemove: (event) => later(() => show(event)), onmouseleave: () => later(hide) };
}

async function namePanel({ state, places, place, signal }) {
  const several = Boolean(place.workspace);
  const where = several ? { workspacePath: place.workspace } : { root: places.root(state, state.repo) };
  const ask = (path, more) => post(several ? `${path}/federated` : path, { name: state.name, ...where, ...more }, signal);
  const repoOf = (each) => each.repoAlias ?? each.repoId ?? state.repo;
  const panel = h("section", { class: "panel", "aria-label": `Definitions and usages of ${state.name}`, "aria-busy": "true" },
    h("h2", null, state.name, " ", h("a", { class: "close", href: addressOf({ ...state, name: "" }), "aria-label": "Close definitions and usages" }, "×")));
  const link = (each, line) => h("a", { href: fileAddress(state, each.path, line, repoOf(each), state.name) },
    several && h("span", { class: "repo" }, shortName(repoOf(each))), each.path, h("span", { class: "lines" }, `:${line}`));
  const failed = (failure) => failure.name !== "AbortError" && panel.append(h("p", { role: "alert" }, withCommands(failure.message)));
  const definitions = ask("/symbol").then((answer) => panel.append(h("h3", null, count(answer.total, "definition")),
    h("ul", null, answer.definitions.map((each) => h("li", null, link(each, each.line), codeBlock(codeLines(each.signature, each.line, each.language, [state.name]))))),
    !answer.total && answer.suggestions?.length ? h("p", { class: "note" }, "Similar: ", answer.suggestions.slice(0, 5).map((name) => [h("a", { href: addressOf({ ...state, name }) }, name), " "])) : ""), failed);
  const usages = ask("/references", { limit: 1000 }).then(async (answer) => {
    await definitions;
    const total = answer.totals?.usage ?? answer.references.length;
    const list = h("ul");
    panel.append(h("h3", null, count(total, "usage")), list,
      answer.mentions ? h("p", { class: "note" }, `${count(answer.mentions, "mention")} in ${count(answer.mention_files ?? 0, "further file")}`) : "");
    appendLater(list, answer.references.map((each) => () => h("li", null, link(each, each.line),
      h("span", { class: "note" }, ` ${each.role}${each.test ? ", test" : ""}${each.guess ? ", perhaps" : ""}`),
      codeBlock(codeLines(each.content, each.line, each.language, [state.name])))), signal);
  }, failed);
  Promise.all([definitions, usages]).finally(() => panel.removeAttribute("aria-busy"));
  return panel;
}

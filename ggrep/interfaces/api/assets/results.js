// Hits of a search: grouped by file, with facets, notices and bars of the scores.

import { codeBlock, codeLines, matchedLines } from "./code.js";
import { appendNearby, command, count, h, withCommands } from "./dom.js";
import { addressOf, fileAddress, shortName, withRoot } from "./state.js";

const LISTS = { code: "Code", prose: "Documents", records: "Records", extractedProse: "Comments and strings" };
const FIRST = 30;
const MORE = ["30", "100", "500"];

/** Words of a question that say nothing about code. */
const FILLERS = new Set("and are but can did does each for from had has have how into its not the that then there these this those was were what when where which who whom whose why will with".split(" "));

/** A hit of one repository or of a workspace, under the names of the former. */
const plain = (hit) => ({
  ...hit,
  repo: hit.repoAlias ?? hit.repoId ?? "",
  path: hit.path ?? hit.file,
  start: hit.start_line ?? hit.start,
  end: hit.end_line ?? hit.end,
  kind: hit.chunk_type ?? hit.kind,
  contentStart: hit.content_start_line ?? hit.contentStart,
  title: hit.qualified_name ?? hit.qualifiedName,
  matching: hit.matching_lines ?? hit.matchingLines,
  points: hit.localScore ?? hit.score,
});

/** The lists of an answer: `[title, hits]`. */
export function listsOf(answer) {
  if (answer.results) return [["", answer.results.map(plain)]];
  return Object.entries(LISTS).map(([key, title]) => [title, (answer[key] ?? []).map(plain)]).filter(([, hits]) => hits.length);
}

/** Words to mark: those that were scored, and those of the query. */
export function wordsOf(answer, query) {
  const scored = (answer.explain?.terms ?? []).map(({ term }) => term);
  const own = (query.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !FILLERS.has(word.toLowerCase()));
  return answer.explain ? [...new Set([...scored, ...own.filter((word) => /[_\p{Lu}]/u.test(word.slice(1)))])] : own;
}

export function searchBody(state, place) {
  const search = { top: Number(state.n || FIRST), explain: true, filter: state.f, ...(state.find && { find: state.find }) };
  if (!place.workspace) return { query: state.q, search };
  const only = chosenNames(place, state.only);
  const select = state.only.length ? { only: only.length ? only : state.only } : undefined;
  return { query: state.q, workspacePath: place.workspace, search, select, debug: { includePaths: true } };
}

/** Names of a workspace's repositories that are searched: those of `only`, else all but its `-NAME`. */
function chosenNames(place, only) {
  const named = only.filter((each) => !each.startsWith("-"));
  return (named.length ? named : place.repositories.map(({ name }) => name)).filter((name) => !only.includes(`-${name}`));
}

/** A list with a value added or removed; its opposite, with or without `-`, leaves. */
function toggled(list, value) {
  const opposite = value.startsWith("-") ? value.slice(1) : `-${value}`;
  const others = list.filter((each) => each !== value && each !== opposite);
  return list.includes(value) ? others : [...others, value];
}

/** Values with their counts; `list` has those that are chosen as `prefix` and value, those left out behind a `-`. */
function facet(title, counts, list, prefix, change) {
  const isSet = (value, sign = "") => list.includes(`${sign}${prefix}${value}`);
  for (const each of list) {
    const text = each.replace(/^-/, "");
    if (text.startsWith(prefix) && !counts.has(text.slice(prefix.length))) counts.set(text.slice(prefix.length), 0);
  }
  const rank = ([value]) => Number(isSet(value) || isSet(value, "-"));
  const values = [...counts].sort((a, b) => rank(b) - rank(a) || b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 12);
  if (values.length < 2 && !values.some(rank)) return null;
  const set = (value) => change(toggled(list, value));
  return h("fieldset", null, h("legend", null, title), values.map(([value, number]) => h("div", { class: "choice" },
    h("label", null, h("input", { type: "checkbox", checked: isSet(value), onchange: () => set(`${prefix}${value}`) }),
      h("span", { class: "value" }, shortName(value)), h("span", { class: "number" }, number ? String(number) : "")),
    h("button", { type: "button", class: "without", "aria-pressed": String(isSet(value, "-")), "aria-label": `Leave out ${shortName(value)}`, title: "Leave out",
      onclick: () => set(`-${prefix}${value}`) }, "−"))));
}

function facets(hits, state, go, place) {
  const counts = (of) => hits.reduce((sums, hit) => sums.set(of(hit), (sums.get(of(hit)) ?? 0) + 1), new Map());
  const chosen = (key) => state.f.filter((each) => each.startsWith(`${key}:`)).map((each) => each.slice(key.length + 1));
  const ofKey = (title, key, of) => {
    const sums = counts(of);
    sums.delete("");
    return facet(title, sums, state.f, `${key}:`, (f) => go({ f }));
  };
  const depth = Math.max(0, ...chosen("path").map((path) => path.split("/").length));
  const folderAt = (levels) => (hit) => hit.path.split("/").slice(0, -1).slice(0, levels).join("/");
  const deepest = Math.max(...hits.map((hit) => hit.path.split("/").length - 1), depth + 1);
  // Levels that all hits share say nothing.
  let levels = depth + 1;
  while (levels < deepest && counts(folderAt(levels)).size < 2) levels += 1;
  const test = chosen("test")[0] ?? "";
  const setTest = (event) => go({ f: [...state.f.filter((each) => !each.startsWith("test:")), ...(event.target.value ? [`test:${event.target.value}`] : [])] });
  const repositories = new Map(place.workspace ? place.repositories.map(({ name }) => [name, hits.filter((hit) => hit.repo === name).length]) : []);
  return h("details", { class: "facets", open: matchMedia("(min-width: 60rem)").matches },
    h("summary", null, "Filters", state.f.length + state.only.length ? ` (${state.f.length + state.only.length})` : ""),
    place.workspace && facet("Repository", repositories, state.only, "", (only) => go({ only })),
    ofKey("Language", "lang", (hit) => hit.language),
    ofKey("Kind", "kind", (hit) => hit.kind),
    ofKey("Folder", "path", folderAt(levels)),
    h("fieldset", null, h("legend", null, "Tests"),
      [["", "All files"], ["false", "Without tests"], ["true", "Only tests"]].map(([value, text]) =>
        h("label", { class: "choice" }, h("input", { type: "radio", name: "test", value, checked: test === value, onchange: setTest }), h("span", { class: "value" }, text)))),
    h("p", { class: "note" }, "Numbers count the hits shown."));
}

function chips(state, go) {
  const chip = (text, without) => h("button", { type: "button", class: "chip", onclick: () => go(without), "aria-label": `Remove filter ${text}` }, text, h("span", { "aria-hidden": "true" }, " ×"));
  const all = [
    ...state.only.map((value) => chip(value.replace(/^(-?)(.*)$/s, (_, sign, name) => `${sign}repository:${shortName(name)}`), { only: toggled(state.only, value) })),
    ...state.f.map((value) => chip(value, { f: toggled(state.f, value) })),
  ];
  return all.length ? h("p", { class: "chips" }, all) : null;
}

const PARTS = ["file", "dense_file", "text", "symbol", "dense", "path", "stem"];
const PART_NAMES = { file: "words of the file", dense_file: "meaning of the file", text: "words of the text", symbol: "names", dense: "meaning of the text", path: "path", stem: "stems" };
const FACTORS = { prior: "kind of file", passage: "an answer by itself", further: "not the first of its file", learned: "learned" };

/** The score, which opens to a bar of the parts that add up to it, as wide as it is of the best one. */
function scoreNode(hit, best) {
  const node = h("details", { class: "score" },
    h("summary", { onclick: () => node.children[1] ?? node.append(...partsOf(hit, best)) }, "Score ", number(hit.points)));
  return node;
}

const number = (value) => value.toFixed(2);

function partsOf({ explain, points }, best) {
  const parts = PARTS.filter((name) => explain[name] > 0);
  const sum = parts.reduce((total, name) => total + explain[name], 0) || 1;
  const bar = h("div", { class: "bar", "aria-hidden": "true" }, parts.map((name) => h("span", { class: `part of-${name}` })));
  bar.style.width = `${(Math.max(0, points) / (best || 1)) * 100}%`;
  parts.forEach((name, index) => { bar.children[index].style.flexGrow = String(explain[name] / sum); });
  return [bar, h("ul", { class: "parts" },
    parts.map((name) => h("li", null, h("span", { class: `dot of-${name}`, "aria-hidden": "true" }), `${PART_NAMES[name]} +${number(explain[name])}`)),
    Object.entries(FACTORS).filter(([name]) => name in explain && explain[name] !== 1)
      .map(([name, text]) => h("li", null, `${text} ×${number(explain[name])}`)))];
}

function hitNode(hit, { state, words, best }) {
  const matched = hit.lines?.length ? hit.lines : null;
  const line = matched?.[0].line ?? hit.start;
  const name = hit.title || hit.breadcrumb?.at(-1) || "";
  const address = fileAddress(state, hit.path, hit.start === hit.end ? line : `${hit.start}-${hit.end}`, hit.repo);
  const lines = matched ? matchedLines(matched, hit.language) : codeLines(hit.content, hit.contentStart, hit.language, words);
  const more = matched ? (hit.matching ?? 0) - matched.filter((each) => each.columns.length).length : hit.end - hit.start + 1 - lines.length;
  return h("li", { class: "hit" },
    h("p", { class: "where" },
      h("a", { class: "jump", href: address }, h("span", { class: "kind" }, hit.kind.replaceAll("_", " ")), name && ` ${name}`,
        h("span", { class: "lines" }, hit.start === hit.end ? ` line ${hit.start}` : ` lines ${hit.start}–${hit.end}`))),
    hit.content || matched ? codeBlock(lines) : null,
    h("div", { class: "under" },
      more > 0 && h("a", { href: address, tabindex: "-1" }, matched ? `${count(more, "more matching line")}` : `${count(more, "more line")}`),
      hit.encoding && h("span", { class: "note" }, hit.encoding),
      hit.explain && scoreNode(hit, best)));
}

function fileNode(hits, context) {
  const [{ path, repo }] = hits;
  const [, folder, file] = /^(.*\/)?([^/]*)$/s.exec(path);
  return h("article", { class: "file" },
    h("h3", null, repo && h("span", { class: "repo" }, shortName(repo)),
      h("a", { href: fileAddress(context.state, path, "", repo), tabindex: "-1" }, h("span", { class: "folder" }, folder ?? ""), file)),
    h("ol", null, hits.map((hit) => hitNode(hit, context))));
}

const notice = (severity, message, of = "") =>
  h("li", { class: severity }, of && h("strong", null, shortName(of), ": "), withCommands(message));

/** What keeps an answer from being whole, and the commands that help. */
export function notices(answer, place) {
  const { errors = [], warnings = [] } = answer.diagnostics ?? {};
  const name = (each) => place.repositories.find((repo) => repo.name === each.repoId)?.name ?? each.repoId ?? "";
  const file = place.workspace && (/^[\w./-]+$/.test(place.workspace) ? place.workspace : `'${place.workspace.replaceAll("'", "'\\''")}'`);
  const text = (each) => (file ? each.message.replace(/(ggrep workspace \w+) FILE\b/g, (_, start) => `${start} ${file}`) : withRoot(each.message, place.repositories[0]?.root));
  const bound = ([code, { limit, observed }]) =>
    `${code.replaceAll("_", " ").replace(/^max /, "")} ${limit.toLocaleString("en")}${observed ? ` of ${observed.toLocaleString("en")}` : ""}`;
  // Repositories of a workspace reach the same bound; the largest excess stands for all.
  const reached = new Map();
  for (const each of answer.limits_hit ?? []) {
    if (each.code !== "max_results" && !((reached.get(each.code)?.observed ?? -1) >= (each.observed ?? 0))) reached.set(each.code, each);
  }
  const bounds = [...reached].map(bound);
  const items = [
    ...errors.map((each) => notice("bad", text(each), name(each))),
    ...[...warnings, ...(answer.warnings ?? [])].map((each) => notice("warn", text(each), name(each))),
    bounds.length ? notice("info", bounds.join(" · "), "Bounds reached") : [],
  ].flat();
  return items.length ? h("ul", { class: "notices", "aria-label": "Notices" }, items) : null;
}

/** States of a workspace's repositories, which change as they arrive. */
export function repositoryStates(place, rows, only) {
  return h("ul", { class: "states", "aria-label": "Repositories" }, chosenNames(place, only).map((name) => {
    const row = rows.get(name);
    const status = row?.status ?? "waiting";
    return h("li", { class: row ? (status === "ok" ? "good" : "bad") : "wait", "data-status": status },
      shortName(name), h("span", { class: "number" }, status === "ok" ? count(row.count, "candidate") : status.replaceAll("_", " ")));
  }));
}

export function summaryOf(answer, elapsed) {
  const lists = listsOf(answer);
  const hits = lists.flatMap(([, list]) => list);
  const files = new Set(hits.map((hit) => `${hit.repo}\0${hit.path}`)).size;
  if (!hits.length) return `No hit · ${Math.round(elapsed)} ms`;
  const total = answer.matches ? `${count(answer.matches.lines, "matching line")} in ${count(answer.matches.files, "file")}, shown: ` : "";
  const doubt = answer.confidence === "strong" ? "" : " · low confidence: probably no good match";
  return `${total}${count(hits.length, "hit")} in ${count(files, "file")} · ${Math.round(elapsed)} ms${doubt}`;
}

const LINE_PX = 19;
const PORTION = 20;
const heightOf = (group) => LINE_PX * group.reduce((sum, hit) => sum + 3 + (hit.content ?? "").split("\n").length + (hit.lines?.length ?? 0), 3);

/** The nodes of an answer; `room` is the height of the page, in pixels, that is to be filled at once. */
export function results(answer, { state, go, place, rows, signal, room }) {
  const lists = listsOf(answer);
  const hits = lists.flatMap(([, list]) => list);
  const best = hits.reduce((most, hit) => Math.max(most, hit.points), 0);
  const context = { state, words: wordsOf(answer, state.q), best };
  let left = room;
  const sections = lists.map(([title, list]) => {
    const groups = [...Map.groupBy(list, (hit) => `${hit.repo}\0${hit.path}`).values()];
    const section = h("section", null, h("h2", { class: title ? null : "hidden" }, title || "Hits"));
    let first = 0;
    for (; left > 0 && first < groups.length; first += 1) {
      section.append(fileNode(groups[first], context));
      left -= heightOf(groups[first]);
    }
    appendNearby(section, signal, Array.from({ length: Math.ceil((groups.length - first) / PORTION) }, (_, index) => {
      const portion = groups.slice(first + index * PORTION, first + (index + 1) * PORTION);
      return [portion.reduce((sum, group) => sum + heightOf(group), 0), () => portion.map((group) => fileNode(group, context))];
    }));
    return section;
  });
  const next = MORE[MORE.indexOf(state.n || MORE[0]) + 1];
  const isCut = next && (answer.limits_hit ?? []).some(({ code }) => code === "max_results");
  return [
    facets(hits, state, go, place),
    h("div", { class: "hits" }, chips(state, go), place.workspace && repositoryStates(place, rows, state.only), notices(answer, place), sections,
      !hits.length && h("p", { class: "empty" }, "Nothing matches. ", state.f.length || state.only.length ? "Remove a filter, or use other words." : "Try other words."),
      isCut && h("p", null, h("a", { class: "more", href: addressOf({ ...state, n: next }) }, `Show up to ${next} hits`))),
  ];
}

export const failureNode = (failure, place) => {
  const message = withRoot(failure.message, place && !place.workspace ? place.repositories[0]?.root : null);
  const issues = (failure.document?.error?.issues ?? []).map((issue) => issue.message).filter((text) => text !== failure.message);
  return h("div", { class: "failure", role: "alert" }, h("h2", null, "No answer"), h("p", null, withCommands(message)),
    issues.length ? h("ul", null, issues.map((text) => h("li", null, withCommands(text)))) : null,
    failure.status === 0 && h("p", null, "The server has ended. To start it again: ", command("ggrep ui")));
};

// The slate of a question: files and evidence by section, and the graph that joins the files.

import { post } from "./api.js";
import { codeBlock, codeLines } from "./code.js";
import { count, h, s } from "./dom.js";
import { notices, searchBody } from "./results.js";
import { addressOf, fileAddress, shortName } from "./state.js";

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [230, 44, 110, 18];
const TITLES = { code: "Code", config: "Configuration", docs: "Documents", diagrams: "Diagrams", tests: "Tests" };

/** Nodes in columns by their depth along edges, so that arrows lead from left to right where they can. */
function layout({ nodes, edges }) {
  const depth = new Map(nodes.map(({ id }) => [id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    let isMoved = false;
    for (const { from, to } of edges) {
      const wanted = depth.get(from) + 1;
      if (depth.get(to) < wanted && wanted <= 3) isMoved = Boolean(depth.set(to, wanted));
    }
    if (!isMoved) break;
  }
  const rows = new Map();
  return new Map(nodes.map(({ id }) => {
    const column = depth.get(id);
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return [id, { x: column * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y), column }];
  }));
}

const short = (text, most) => (text.length > most ? `…${text.slice(1 - most)}` : text);

function graphNode(graph, state) {
  if (!graph?.nodes.length) return null;
  const places = layout(graph);
  const all = [...places.values()];
  const [width, height] = [Math.max(...all.map(({ x }) => x)) + WIDTH, Math.max(...all.map(({ y }) => y)) + HEIGHT];
  const curve = (from, to) => {
    if (from.column === to.column) {
      const x = from.x + WIDTH;
      return `M${x},${from.y + HEIGHT / 2} C${x + 60},${from.y + HEIGHT / 2} ${x + 60},${to.y + HEIGHT / 2} ${x},${to.y + HEIGHT / 2}`;
    }
    const [start, end] = from.column < to.column ? [from.x + WIDTH, to.x] : [from.x, to.x + WIDTH];
    const middle = (start + end) / 2;
    return `M${start},${from.y + HEIGHT / 2} C${middle},${from.y + HEIGHT / 2} ${middle},${to.y + HEIGHT / 2} ${end},${to.y + HEIGHT / 2}`;
  };
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const lines = graph.edges.map(({ from, to, kind, via }) => s("path", { class: "edge", d: curve(places.get(from), places.get(to)), "marker-end": "url(#arrow)" },
    s("title", null, `${byId.get(from).path} ${kind} ${byId.get(to).path}${via ? ` (${via})` : ""}`)));
  const boxes = graph.nodes.map((node) => {
    const { x, y } = places.get(node.id);
    const [, folder, file] = /^(.*\/)?([^/]*)$/s.exec(node.path);
    return s("a", { href: fileAddress(state, node.path, node.line, node.repo), "aria-label": `${node.repo ? `${shortName(node.repo)}: ` : ""}${node.path}, ${TITLES[node.section] ?? node.section}` },
      s("rect", { class: `node ${node.section}`, x, y, width: WIDTH, height: HEIGHT, rx: 6 }),
      s("text", { x: x + 12, y: y + 18 }, short(file, 27)),
      s("text", { class: "folder", x: x + 12, y: y + 34 }, short(`${node.repo ? `${shortName(node.repo)}: ` : ""}${folder ?? ""}`, 34)));
  });
  const drawing = s("svg", { viewBox: `-4 -4 ${width + 8 + 64} ${height + 8}`, width: width + 72, height: height + 8, role: "group", "aria-label": "Graph of the files" },
    s("defs", null, s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0,0 L8,4 L0,8 z" }))),
    lines, boxes);
  return h("section", { class: "graph", "aria-label": "Graph" }, h("h2", null, "Graph"),
    h("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Drawing of the graph" }, drawing),
    graph.edges.length ? h("details", null, h("summary", null, count(graph.edges.length, "edge"), " as text"),
      h("ul", { class: "edges" }, graph.edges.map(({ from, to, kind, via }) => h("li", null, byId.get(from).path, h("strong", null, ` ${kind} `), byId.get(to).path, via && ` (${via})`)))) : null);
}

const fileNode = (file, state) => h("article", { class: "file" },
  h("h3", null, file.repo && h("span", { class: "repo" }, shortName(file.repo)), h("a", { href: fileAddress(state, file.path, file.line, file.repo) }, file.path)),
  h("p", { class: "note" }, (file.reason ?? '').replaceAll("_", " "), file.more_evidence ? ` · ${count(file.more_evidence, "more place")}` : ""),
  (file.evidence ?? []).map((each) => [
    h("p", { class: "where" }, h("a", { class: "jump", href: fileAddress(state, file.path, `${each.start_line}-${each.end_line}`, file.repo) },
      h("span", { class: "kind" }, each.chunk_type.replaceAll("_", " ")), each.name && ` ${each.name}`, h("span", { class: "lines" }, ` lines ${each.start_line}–${each.end_line}`))),
    // Folded ranges are single lines that say their numbers; folded comments are not shown.
    codeBlock(codeLines(each.snippet.replace(/^\s*\u2026 [\d-]+ comments\n?/gm, ""), 0, languageOf(file.path), []), { class: "code bare" }),
  ]),
  file.outline?.length ? h("details", null, h("summary", null, "Also in this file"), h("ul", null, file.outline.map((line) => h("li", null, line)))) : null);

const languageOf = (path) => ({ py: "python", rb: "ruby", sh: "bash", md: "markdown", sql: "sql", yml: "yaml", yaml: "yaml", toml: "toml" })[path.split(".").at(-1)] ?? "";

export async function slateView({ state, place, signal, go }) {
  const level = Number(state.level || 1);
  const { search, ...body } = searchBody(state, place);
  delete search.top;
  delete search.explain;
  const began = performance.now();
  const answer = place.workspace
    ? await post("/search/federated", { ...body, search, format: "slate", slate: { level } }, signal)
    : await post("/context", { ...body, search, slate: { level } }, signal);
  const { slate } = answer;
  const files = slate.sections.flatMap((section) => section.files);
  const levels = h("label", { class: "level" }, "Size ", h("select", { onchange: (event) => go({ level: event.target.value }) },
    ["smallest", "usual", "large", "largest"].map((text, index) => h("option", { value: String(index), selected: index === level }, text))));
  return {
    nodes: [h("div", { class: "hits slate" }, h("p", null, levels), notices(answer, place), graphNode(slate.graph, state),
      slate.sections.map((section) => h("section", null, h("h2", null, TITLES[section.kind] ?? section.kind), section.files.map((file) => fileNode(file, state)))),
      slate.next_actions?.length ? h("section", null, h("h2", null, "Next"), h("ul", { class: "next" }, slate.next_actions.map((each) => h("li", null, nextLink(each, state), ` ${each.why}`)))) : null)],
    summary: `${count(files.length, "file")} · about ${slate.estimated_tokens.toLocaleString("en")} tokens · ${Math.round(performance.now() - began)} ms`,
  };
}

function nextLink({ action, target }, state) {
  const [, path, line] = /^(.*?):(\d+)$/s.exec(target) ?? [];
  if (action === "expand" && path) return h("a", { href: fileAddress(state, path, line) }, target);
  return h("a", { href: addressOf({ ...state, view: "", q: target, find: action === "refs" ? "usage" : "definition" }) }, `${action} ${target}`);
}

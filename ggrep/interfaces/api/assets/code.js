// Code as lines: colours of tokens, marks of words, numbers of lines.

import { h } from "./dom.js";

const KEYWORDS = new Set((
  "abstract alias and as assert async await begin bool break byte case catch char class const constexpr continue def "
  + "default defer del delete do double elif else elseif elsif end enum ensure except export extends extern false final "
  + "finally float fn for foreach from func function global go goto if impl implements import in include inline int "
  + "interface internal is lambda let long loop macro match mod module mut namespace new nil none None not null nullptr of "
  + "operator or override package pass priv private protected protocol pub public raise readonly record ref require rescue "
  + "return self short signed sizeof static struct super switch template this throw throws trait true True False try type "
  + "typedef typeof undefined union unless unsafe unsigned until use using val var virtual void volatile when where while "
  + "with yield").split(" "));
const HASH = "#[^\\n]*";
const SLASHES = "//[^\\n]*|/\\*[^]*?(?:\\*/|$)";
const DASHES = "--[^\\n]*";
const STRINGS = "\"\"\"[^]*?(?:\"\"\"|$)|'''[^]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?";
const COMMENTS = {
  [HASH]: "python ruby bash shell perl r yaml toml dockerfile make elixir julia nix cmake powershell ini terraform hcl",
  [DASHES]: "sql lua haskell ada elm",
  [`${SLASHES}|${HASH}`]: "php",
};
const PLAIN = new Set(["markdown", "text", "rst", "html", "xml", "asciidoc", "org", "latex", "csv"]);
const patterns = new Map();

function patternOf(language) {
  if (!patterns.has(language)) {
    const entry = Object.entries(COMMENTS).find(([, names]) => names.split(" ").includes(language));
    const comment = entry?.[0] || SLASHES;
    const words = "[A-Za-z_$][\\w$]*|\\d[\\w.]*";
    patterns.set(language, new RegExp(`(${comment})|(${STRINGS})|(${words})`, "g"));
  }
  return patterns.get(language);
}

function tokens(text, language) {
  if (PLAIN.has(language)) return [];
  const spans = [];
  for (const match of text.matchAll(patternOf(language))) {
    const kind = match[1] ? "c" : match[2] ? "s" : /^\d/.test(match[3]) ? "d" : KEYWORDS.has(match[3]) ? "k"
      : text[match.index + match[0].length] === "(" ? "f" : "";
    if (kind) spans.push([match.index, match.index + match[0].length, kind]);
  }
  return spans;
}

/** Extents of words in a text: at the beginning of a word or of its part, in any letter case. */
export function marksOf(text, words) {
  if (!words.length) return [];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(escaped.sort((a, b) => b.length - a.length).join("|"), "giu");
  const marks = [];
  for (const { 0: word, index } of text.matchAll(pattern)) {
    const before = text[index - 1] ?? " ";
    const starts = !/[\p{L}\p{N}]/u.test(before) || (/\p{Lu}/u.test(word[0]) && /\p{Ll}/u.test(before));
    if (starts) marks.push([index, index + word.length]);
  }
  return marks;
}

/** Nodes of a text from an offset on, cut where tokens and marks begin or end. */
function paint(text, from, spans, marks) {
  const cuts = new Set([0, text.length]);
  const near = (list) => list.filter(([start, end]) => start < from + text.length && end > from);
  const [kinds, marked] = [near(spans), near(marks)];
  for (const [start, end] of [...kinds, ...marked]) cuts.add(Math.max(0, start - from)).add(Math.min(text.length, end - from));
  const places = [...cuts].sort((a, b) => a - b);
  // Places ascend, so each extent is looked at once: a line may be a whole file.
  const walk = (list, next = 0) => (place) => {
    while (next < list.length && list[next][1] <= from + place) next += 1;
    return next < list.length && list[next][0] <= from + place ? list[next] : undefined;
  };
  const [kindAt, markAt] = [walk(kinds), walk(marked)];
  const nodes = [];
  let [last, mark] = [undefined, null];
  places.slice(0, -1).forEach((place, index) => {
    const part = text.slice(place, places[index + 1]);
    const kind = kindAt(place)?.[2];
    const node = kind ? h("span", { class: kind }, part) : part;
    const extent = markAt(place);
    if (!extent) nodes.push(node);
    else if (extent === last) mark.append(node);
    else nodes.push((mark = h("mark", null, node)));
    last = extent;
  });
  return nodes;
}

const lineNode = (number, nodes, isTarget) =>
  h("div", { class: isTarget ? "line target" : "line", "data-n": number }, nodes.length ? nodes : "\n");

/** Lines of a text, numbered from `first`; `inRange` tells lines that stand out. */
export function codeLines(text, first, language, words, inRange = () => false) {
  const spans = tokens(text, language);
  const marks = marksOf(text, words);
  let [offset, next, nextMark] = [0, 0, 0];
  return text.split("\n").map((line, index) => {
    const end = offset + line.length;
    while (next < spans.length && spans[next][1] <= offset) next += 1;
    while (nextMark < marks.length && marks[nextMark][1] <= offset) nextMark += 1;
    const take = (list, from) => {
      let to = from;
      while (to < list.length && list[to][0] < end) to += 1;
      return list.slice(from, to);
    };
    const nodes = line ? paint(line, offset, take(spans, next), take(marks, nextMark)) : [];
    offset = end + 1;
    return lineNode(first + index, nodes, inRange(first + index));
  });
}

/** Lines that match an exact text; columns are bytes from 1. */
export function matchedLines(lines, language) {
  return lines.map(({ line, text, columns, cut }) => {
    const bytes = new TextEncoder().encode(text);
    const offset = (column) => new TextDecoder().decode(bytes.slice(0, column - 1)).length;
    // Columns count in the whole line, so those of a cut text cannot be placed.
    const marks = cut ? [] : columns.map(([from, to]) => [offset(from), offset(to)]);
    return lineNode(line, paint(text, 0, tokens(text, language), marks), false);
  });
}

export const codeBlock = (lines, properties) => h("div", { class: "code", translate: "no", ...properties }, lines);

/** The number of a line that was clicked, and nothing for a click on its text. */
export function numberAt(event) {
  const line = event.target.closest?.(".line");
  if (!line) return "";
  const width = parseFloat(getComputedStyle(line).paddingInlineStart);
  return event.clientX - line.getBoundingClientRect().left < width ? line.dataset.n : "";
}

/** The identifier at a point of a line, and nothing where there is none. */
export function wordAt(event) {
  const line = event.target.closest?.(".line");
  if (!line || !getSelection().isCollapsed) return "";
  const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const range = place ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
  const [node, offset] = place ? [place.offsetNode, place.offset] : [range?.startContainer, range?.startOffset];
  if (!node || !line.contains(node) || node.nodeType !== Node.TEXT_NODE) return "";
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(node, offset);
  const at = before.toString().length;
  const text = line.textContent;
  const [head] = /[\p{L}\p{N}_$]*$/u.exec(text.slice(0, at));
  const [tail] = /^[\p{L}\p{N}_$]*/u.exec(text.slice(at));
  const word = head + tail;
  return /^[\p{L}_$]/u.test(word) && !KEYWORDS.has(word) ? word : "";
}

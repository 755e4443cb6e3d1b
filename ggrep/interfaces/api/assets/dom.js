// Elements are made here alone. Text becomes text nodes, so no indexed byte is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  // One by one: a line may hold more parts than a call takes arguments.
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** An element; `onclick` and the like are listeners, other properties attributes. */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** An element of a drawing. */
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const $ = (selector) => document.querySelector(selector);

export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/**
 * A sentence with the command in it marked and copyable: `...; to index it: ggrep index`.
 *
 * Messages quote names of files, so a command ends before any character that a shell would act upon.
 */
export function withCommands(message) {
  const words = /(?:`|(?<=: ))(ggrep(?: (?:[\p{L}\p{N}\w./:@=+,%-]|'[^']*'|"'"|<redacted>)+)+)`?/u;
  return message.split(words).map((part, index) => (index % 2 ? command(part) : part));
}

/** A word as a shell takes it, whatever it holds. */
export const shellWord = (text) => (/^[\w./:@=+,%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

export function command(text) {
  const copy = () => navigator.clipboard?.writeText(text);
  return h("span", { class: "command" }, h("code", null, text),
    h("button", { type: "button", onclick: copy, "aria-label": `Copy ${text}` }, "copy"));
}

/**
 * Add children in growing portions after the first one is painted, so that a long list neither
 * delays its first line nor blocks scrolling: the browser skips portions out of sight as a whole.
 */
export function appendLater(parent, makers, signal, portion = 60) {
  const step = (from, most) => {
    if (signal?.aborted) return;
    const nodes = makers.slice(from, from + most).map((make) => make());
    parent.append(...(from ? [h("div", { class: "portion" }, nodes)] : nodes));
    const next = Math.min(Math.max(2 * most, 30), 480);
    if (from + most < makers.length) requestAnimationFrame(() => setTimeout(step, 0, from + most, next));
  };
  if (makers.length) step(0, portion);
}

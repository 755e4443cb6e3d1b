// Elements are made here alone. Text becomes text nodes, so no indexed byte is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";
const NEAR_PX = 12_000;

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
  // A page that is not from this machine has no clipboard without HTTPS.
  const copy = ({ currentTarget: button }) =>
    navigator.clipboard?.writeText(text).then(() => { button.textContent = "copied"; });
  return h("span", { class: "command" }, h("code", null, text),
    h("button", { type: "button", onclick: copy, "aria-label": `Copy ${text}` }, "copy"));
}

/** Add children in growing portions after the first one is painted, so that a long list delays nothing. */
export function appendLater(parent, makers, signal, portion = 60) {
  const step = (from, most) => {
    if (signal?.aborted) return;
    parent.append(...makers.slice(from, from + most).map((make) => make()));
    if (from + most < makers.length) requestAnimationFrame(() => setTimeout(step, 0, from + most, Math.min(2 * most, 480)));
  };
  if (makers.length) step(0, portion);
}

/**
 * Add portions, `[height, make]`, whose nodes exist only near the screen, after the first paint: a list of any
 * length has a bounded number of nodes. A portion that leaves keeps its height.
 */
export function appendNearby(parent, signal, portions) {
  const makers = new Map(portions.map(([height, make]) => {
    const node = h("div", { class: "portion" });
    node.style.height = `${height}px`;
    return [node, make];
  }));
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting, boundingClientRect: { height } } of changes) {
      const isMade = Boolean(target.firstChild);
      if (isIntersecting && !isMade) {
        target.append(...makers.get(target)());
        target.style.height = "";
      } else if (!isIntersecting && isMade && !target.contains(document.activeElement)) {
        target.style.height = `${height}px`;
        target.replaceChildren();
      }
    }
  }, { rootMargin: `${NEAR_PX}px 0px` });
  for (const node of makers.keys()) {
    parent.append(node);
    observer.observe(node);
  }
  signal.addEventListener("abort", () => observer.disconnect());
}

// The script of a page. Indexed text enters the document as text alone.

import type { Said, Shown } from "./html";

declare function acquireVsCodeApi(): { postMessage(message: Said): void };

const TYPING_MS = 250;

const host = acquireVsCodeApi();
const [form, input, status, list] = ["form", "input", "p", "ul"].map((name) =>
  document.querySelector(name),
) as [HTMLFormElement, HTMLInputElement, HTMLElement, HTMLElement];
let fresh = true;
let typing: ReturnType<typeof setTimeout> | undefined;

function ask(): void {
  clearTimeout(typing);
  host.postMessage({ kind: "ask", query: input.value });
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function show({ query, note, rows }: Shown): void {
  if (fresh) input.value = query; // later the user types
  fresh = false;
  status.textContent = note;
  list.replaceChildren(
    ...rows.map((row, at) => {
      const item = document.createElement("li");
      item.className = row.kind;
      if (row.kind === "heading") {
        item.append(element("h2", row.label));
        return item;
      }
      if (row.label) {
        const button = element("button", row.label);
        button.addEventListener("click", (event) => {
          host.postMessage({ kind: "open", row: at, keep: event.detail !== 1 });
        });
        item.append(button);
      }
      item.append(element("small", row.detail));
      if (row.text) {
        const text = element("pre", row.text);
        text.tabIndex = 0;
        item.append(text);
      }
      return item;
    }),
  );
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
if (document.body.classList.contains("vscode-side")) {
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(ask, TYPING_MS);
  });
}
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || document.activeElement?.tagName === "PRE") return;
  const stops = [input, ...list.querySelectorAll("button")];
  stops[stops.indexOf(document.activeElement as HTMLButtonElement) + step]?.focus();
  event.preventDefault();
});
window.addEventListener("message", (event: MessageEvent<Shown>) => show(event.data));
input.focus();
host.postMessage({ kind: "ready" });

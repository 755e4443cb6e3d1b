// The document of a page, and what a page and the extension say to each other.

import type { Row } from "./answers";

/** From a page: it is ready, asks, or opens the row at a number; nothing else is heard. */
export type Said =
  { kind: "ready" } | { kind: "ask"; query: string } | { kind: "open"; row: number; keep: boolean };

/** To a page: all that it shows. Rows name no places: the extension keeps them by number. */
export interface Shown {
  query: string;
  note: string;
  rows: Omit<Row, "target">[];
}

export const MOST_QUERY = 2000;

/** Return what a page said; undefined for anything that has another form. */
export function heard(message: unknown): Said | undefined {
  const { kind, query, row, keep } = (message ?? {}) as Record<string, unknown>;
  if (kind === "ready") return { kind };
  if (kind === "ask" && typeof query === "string") {
    return { kind, query: query.slice(0, MOST_QUERY) };
  }
  if (kind === "open" && Number.isInteger(row)) {
    return { kind, row: row as number, keep: keep === true };
  }
  return undefined;
}

export interface Frame {
  script: string;
  style: string;
  /** Source of the style, as a policy names it. */
  source: string;
  nonce: string;
  label: string;
  /** The page lies in the side bar and asks while the user types. */
  side: boolean;
}

/** Return the document; its policy loads one script, one style sheet and nothing else. */
export function html({ script, style, source, nonce, label, side }: Frame): string {
  const policy = [
    `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`,
    "form-action 'none'; base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
<title>${label}</title>
</head>
<body class="${side ? "vscode-side" : ""}">
<form role="search">
<input type="search" aria-label="${label}" placeholder="${label}" maxlength="${MOST_QUERY}">
</form>
<p role="status"></p>
<ul></ul>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

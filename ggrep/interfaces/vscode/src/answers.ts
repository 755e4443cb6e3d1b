// Rows of the pages, made of what the language server answers (docs/impl/editors.md).

interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** A place that a row opens. */
export interface Target {
  uri: string;
  range: Range;
}

/** A line of a page: a heading, a file or hit, or a piece of a file. */
export interface Row {
  kind: "heading" | "file" | "piece";
  label: string;
  detail: string;
  text: string;
  target?: Target;
}

export interface Answer {
  rows: Row[];
  note: string;
}

export interface Hit extends Target {
  path: string;
  name: string;
  kind: string;
  content: string;
  repository?: string;
}

interface Piece {
  range: Range;
  chunk_type: string;
  snippet: string;
  name?: string;
  also?: string[];
}

interface File extends Target {
  path: string;
  line: number;
  repo?: string;
  tags?: string[];
  name?: string;
  anchor?: Piece;
  evidence?: Piece[];
  outline?: string[];
  outline_ranges: Range[];
  more_evidence?: number;
}

export interface SlateAnswer {
  confidence: string;
  limits_hit: { code: string; limit: number; observed?: number }[];
  diagnostics?: { errors: { message: string }[] };
  slate: { sections: { kind: string; files: File[] }[] };
}

/** Names the open folder of a file where there are several. */
export type FolderOf = (uri: string) => string | undefined;

const lines = ({ start, end }: Range) =>
  start.line === end.line ? `${start.line + 1}` : `${start.line + 1}-${end.line + 1}`;

const placed = (repository: string | undefined, path: string) =>
  repository ? `${repository}:${path}` : path;

export function searchAnswer(hits: Hit[], folderOf: FolderOf): Answer {
  const rows = hits.map((hit): Row => {
    const path = placed(hit.repository ?? folderOf(hit.uri), hit.path);
    const label = `${path}:${lines(hit.range)}`;
    const detail = `${hit.kind} ${hit.name}`.trim();
    return { kind: "file", label, detail, text: hit.content, target: hit };
  });
  return { rows, note: counted(rows.length, "hit") };
}

export function slateAnswer(answers: SlateAnswer[], folderOf: FolderOf): Answer {
  const rows: Row[] = [];
  for (const { slate } of answers) {
    for (const section of slate.sections) {
      rows.push({ kind: "heading", label: section.kind, detail: "", text: "" });
      for (const file of section.files) rows.push(...fileRows(file, folderOf(file.uri)));
    }
  }
  const files = rows.filter((row) => row.kind === "file").length;
  return { rows, note: [counted(files, "file"), ...new Set(answers.flatMap(notes))].join("\n") };
}

function fileRows(file: File, folder: string | undefined): Row[] {
  const label = `${placed(file.repo ?? folder, file.path)}:${file.line}`;
  const detail = [file.name, ...(file.tags ?? [])].filter(Boolean).join(" ");
  const piece = (range: Range, text: string, what: string): Row => ({
    kind: "piece",
    label: lines(range),
    detail: what,
    text,
    target: { uri: file.uri, range },
  });
  const pieces = [...(file.anchor ? [file.anchor] : []), ...(file.evidence ?? [])].map((each) => {
    const also = each.also?.length && `also ${each.also.join(", ")}`;
    const what = [each.chunk_type, each.name, also].filter(Boolean).join(" ");
    return piece(each.range, each.snippet.replace(/^\s*\u2026 [\d-]+ comments\n?/gm, ""), what);
  });
  const outlined = file.outline_ranges.map((range, at) =>
    piece(range, "", file.outline?.[at]?.replace(/^\S+ /, "") ?? ""),
  );
  const more: Row[] = file.more_evidence
    ? [{ kind: "piece", label: "", detail: `${file.more_evidence} more pieces match`, text: "" }]
    : [];
  return [{ kind: "file", label, detail, text: "", target: file }, ...pieces, ...outlined, ...more];
}

function notes(answer: SlateAnswer): string[] {
  const doubt = answer.confidence === "strong" ? [] : ["Low confidence: probably no good match"];
  const failures = answer.diagnostics?.errors.map((each) => each.message) ?? [];
  const cuts = answer.limits_hit
    .filter((each) => each.code !== "low_confidence")
    .map((each) => `cut: ${each.code} ${each.limit}${each.observed ? ` of ${each.observed}` : ""}`);
  return [...doubt, ...failures, ...cuts];
}

const counted = (count: number, noun: string) =>
  `${count || "no"} ${noun}${count === 1 ? "" : "s"}`;

// Rows, documents and messages of the pages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Hit, searchAnswer, type SlateAnswer, slateAnswer } from "../src/answers";
import { heard, html, MOST_QUERY } from "../src/html";

const span = (first: number, last: number) => ({
  start: { line: first - 1, character: 0 },
  end: { line: last - 1, character: 9 },
});
const hit: Hit = {
  uri: "file:///a/x.py",
  range: span(3, 9),
  path: "x.py",
  name: "f",
  kind: "function",
  content: "def f",
};

test("a hit is named by its repository, else by the folder where there are several", () => {
  const labels = (hits: Hit[], folder?: string) =>
    searchAnswer(hits, () => folder).rows.map((row) => row.label);

  assert.deepEqual(labels([hit]), ["x.py:3-9"]);
  assert.deepEqual(labels([hit], "a"), ["a:x.py:3-9"]);
  assert.deepEqual(labels([{ ...hit, repository: "shop", range: span(3, 3) }], "a"), [
    "shop:x.py:3",
  ]);
});

test("answers count what they show", () => {
  const notes = [[], [hit], [hit, hit]].map((hits) => searchAnswer(hits, () => undefined).note);

  assert.deepEqual(notes, ["no hits", "1 hit", "2 hits"]);
});

test("a slate shows pieces, outlines, what is missing and why", () => {
  const answer: SlateAnswer = {
    confidence: "weak",
    limits_hit: [
      { code: "low_confidence", limit: 1 },
      { code: "max_slate_files", limit: 1, observed: 4 },
    ],
    diagnostics: { errors: [{ message: "bank: gone" }] },
    slate: {
      sections: [
        {
          kind: "code",
          files: [
            {
              ...hit,
              line: 3,
              repo: "shop",
              tags: ["Test"],
              name: "",
              anchor: { range: span(1, 2), chunk_type: "anchor", snippet: "import a" },
              evidence: [
                {
                  range: span(3, 9),
                  chunk_type: "function",
                  name: "f",
                  snippet: "def f",
                  also: ["y.py:4"],
                },
              ],
              outline: ["11-12 method A.g"],
              outline_ranges: [span(13, 14)],
              more_evidence: 2,
            },
          ],
        },
      ],
    },
  };
  const { rows, note } = slateAnswer([answer, answer], () => undefined);

  assert.deepEqual(
    rows.slice(0, 6).map((row) => `${row.kind} ${row.label} ${row.detail}`),
    [
      "heading code ",
      "file shop:x.py:3 Test",
      "piece 1-2 anchor",
      "piece 3-9 function f also y.py:4",
      "piece 13-14 method A.g",
      "piece  2 more pieces match",
    ],
  );
  assert.equal(
    note,
    "2 files\nLow confidence: probably no good match\nbank: gone\ncut: max_slate_files 1 of 4",
  );
});

test("a page is heard in three forms and no other", () => {
  const refused = [
    null,
    1,
    "ready",
    {},
    { kind: "ask" },
    { kind: "ask", query: 3 },
    { kind: "open" },
    { kind: "open", row: "0" },
    { kind: "run", query: "x" },
  ];

  assert.deepEqual(refused.map(heard).filter(Boolean), []);
  assert.deepEqual(heard({ kind: "open", row: 2, uri: "file:///x" }), {
    kind: "open",
    row: 2,
    keep: false,
  });
  assert.deepEqual(heard({ kind: "ask", query: "x".repeat(9999) }), {
    kind: "ask",
    query: "x".repeat(MOST_QUERY),
  });
});

test("a document loads its script and its style alone", () => {
  const page = html({
    script: "S",
    style: "T",
    source: "https://s",
    nonce: "N",
    label: "L",
    side: true,
  });
  const policy = /content="(default-src[^"]*)"/.exec(page)?.[1];

  assert.equal(
    policy,
    "default-src 'none'; style-src https://s; script-src 'nonce-N'; " +
      "form-action 'none'; base-uri 'none'",
  );
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.ok(!/ on\w+=| style=/.test(page));
});

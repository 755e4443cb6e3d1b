// The built bundle against the real `ggrep lsp`, under a stand-in for VS Code.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const vscode = require("vscode");
const { fake } = vscode;
const extension = require(join(__dirname, "../extension.js"));
const program = process.env.GGREP_COMMAND ?? "ggrep";
const place = mkdtempSync(join(tmpdir(), "g"));
const FILES: Record<string, string> = {
  "shop/.ggrep.toml": "",
  "shop/pay.py":
    "from ledger import refund_card\n\n\ndef order(card):\n    return refund_card(card)\n",
  "bank/.ggrep.toml": "",
  "bank/ledger.py":
    'def refund_card(card):\n    """Give <img src=x> money back."""\n    return -card\n',
  "both.jsonc":
    '{"schemaVersion": 1, "repos": [{"root": "shop", "alias": "shop"},' +
    '{"root": "bank", "alias": "bank"}]}',
};
const none = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const pay = join(place, "shop/pay.py");
const ledger = vscode.Uri.file(join(place, "bank/ledger.py")).text;

before(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(place, name, ".."), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  process.env.GGREP_HOME = join(place, "home");
  execFileSync(program, ["workspace", "build", join(place, "both.jsonc")], { stdio: "ignore" });
  vscode.workspace.workspaceFolders = [
    { uri: vscode.Uri.file(join(place, "shop")), name: "shop", index: 0 },
  ];
  fake.settings = { command: program, workspaceFile: "../both.jsonc" };
  await extension.activate({
    extensionUri: vscode.Uri.file(join(__dirname, "../..")),
    subscriptions: [],
  });
});
after(async () => {
  await extension.deactivate();
  execFileSync(program, ["stop-all"], { stdio: "ignore" });
  rmSync(place, { recursive: true });
});

function webview(): any {
  const view = { webview: new vscode.Webview() };
  fake.views["ggrep.hits"].resolveWebviewView(view);
  return view.webview;
}

test("the server's features are the editor's, over repositories", async () => {
  const document = fake.document(pay);
  const at = new vscode.Position(4, 13);
  const [place] = await fake.providers.registerDefinitionProvider.provideDefinition(
    document,
    at,
    none,
  );
  const uses = await fake.providers.registerReferenceProvider.provideReferences(
    document,
    at,
    { includeDeclaration: true },
    none,
  );
  const hover = await fake.providers.registerHoverProvider.provideHover(document, at, none);

  assert.deepEqual([place.uri.text, place.range.start.line], [ledger, 0]);
  assert.equal(uses.length, 3);
  assert.match(hover.contents.value, /def refund_card/);
  assert.doesNotMatch(hover.contents.value, /(?<!\\)<img/);
  assert.ok(!hover.contents.isTrusted && !hover.contents.supportHtml);
});

test("the commands ask ggrep alone and hand its places over", async () => {
  vscode.window.activeTextEditor = {
    document: fake.document(pay),
    selection: { active: new vscode.Position(4, 13) },
  };
  await fake.commands["ggrep.goToDefinition"]();
  await fake.commands["ggrep.findUsages"]();

  const [definitions, usages] = fake.ran.filter(
    (each: unknown[]) => each[0] === "editor.action.goToLocations",
  );
  assert.deepEqual(
    definitions[3].map((each: any) => each.uri.text),
    [ledger],
  );
  assert.deepEqual(
    usages[3].map((each: any) => each.range.start.line),
    [0, 4],
  );
});

test("a search is shown, and a row opens its place alone", async () => {
  const page = webview();
  await page.say({ kind: "ready" });
  await page.say({ kind: "ask", query: "give money back" });
  const { rows, note } = page.sent.at(-1);
  const at = rows.findIndex((row: any) => row.label === "bank:ledger.py:1-3");
  await page.say({ kind: "open", row: at, keep: false });
  await page.say({ kind: "open", row: 1000, keep: true });
  await page.say({ kind: "open", row: 0.5, keep: true, uri: "file:///etc/passwd" });

  assert.ok(at >= 0 && note === "1 hit" && rows[at].text.includes("<img src=x>"));
  assert.ok(!JSON.stringify(page.sent).includes("file:"), "a page learns no address");
  assert.equal(fake.opened.length, 1);
  assert.equal(fake.opened[0].uri, ledger);
  assert.equal(fake.opened[0].selection.start.line, 0);
});

test("a later question wins, and an answer outlives its page", async () => {
  const page = webview();
  await Promise.all([
    page.say({ kind: "ask", query: "order" }),
    page.say({ kind: "ask", query: "refund" }),
  ]);
  const again = webview();
  await again.say({ kind: "ready" });

  const answers = page.sent.filter((each: any) => each.rows.length && !each.note.endsWith("…"));
  assert.deepEqual(
    answers.map((each: any) => each.query),
    ["refund"],
  );
  assert.deepEqual(again.sent, [answers[0]]);
});

test("a slate is shown by sections, files and pieces", async () => {
  fake.commands["ggrep.openSlate"]();
  fake.commands["ggrep.openSlate"]();
  const [panel] = fake.panels;
  await panel.webview.say({ kind: "ask", query: "refund a card" });
  const { rows } = panel.webview.sent.at(-1);
  const at = rows.findIndex((row: any) => row.kind === "piece" && row.text.includes("refund_card"));
  await panel.webview.say({ kind: "open", row: at, keep: true });

  assert.equal(fake.panels.length, 1);
  assert.ok(panel.revealed);
  assert.equal(rows[0].label, "code");
  assert.ok(rows.some((row: any) => row.kind === "file" && row.label === "bank:ledger.py:1"));
  assert.deepEqual([fake.opened.at(-1).preview, fake.opened.at(-1).viewColumn], [false, 1]);
});

test("a program that is missing is named, and questions say that nothing runs", async () => {
  fake.change({ command: join(place, "missing") });
  fake.errors.length = 0;
  while (!fake.errors.length) await new Promise((resolve) => setImmediate(resolve));
  const page = webview();
  await page.say({ kind: "ask", query: "refund" });

  assert.match(fake.errors.at(-1), /command \S+missing failed/);
  assert.match(page.sent.at(-1).note, /does not run/);
});

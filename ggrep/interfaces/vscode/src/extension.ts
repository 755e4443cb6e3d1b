// The extension: a client of `ggrep lsp`, a search view, a slate panel and two commands.

import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, type Location } from "vscode-languageclient/node";
import { type Hit, searchAnswer, type SlateAnswer, slateAnswer } from "./answers";
import { Page } from "./view";

const MOST_HITS = 50;

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const hits = new Page(
    async (query, token) => {
      const body = { query, search: { top: MOST_HITS } };
      return searchAnswer(await command<Hit[]>("ggrep.search", body, token), folderOf);
    },
    context.extensionUri,
    "Search by meaning",
    true,
  );
  let changing = start();
  let panel: vscode.WebviewPanel | undefined;
  const openSlate = () => {
    if (panel) return panel.reveal();
    const beside = vscode.ViewColumn.Beside;
    panel = vscode.window.createWebviewPanel("ggrep.slate", "Slate", beside);
    panel.onDidDispose(() => (panel = undefined));
    slate.show(panel.webview);
  };
  const slate = new Page(
    async (query, token) =>
      slateAnswer(await command<SlateAnswer[]>("ggrep.slate", { query }, token), folderOf),
    context.extensionUri,
    "Question to gather the evidence for",
    false,
  );
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider("ggrep.hits", {
      resolveWebviewView: (view) => hits.show(view.webview),
    }),
    vscode.commands.registerCommand("ggrep.openSlate", openSlate),
    vscode.commands.registerCommand("ggrep.goToDefinition", () => goTo("definition")),
    vscode.commands.registerCommand("ggrep.findUsages", () => goTo("references")),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ggrep")) changing = changing.then(deactivate).then(start);
    }),
  );
  await changing;
}

export async function deactivate(): Promise<void> {
  const left = client;
  client = undefined;
  if (left?.needsStop()) await left.dispose();
}

/** Start the server where there is something to ask; the extension goes on without it. */
async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("ggrep");
  const program = settings.get("command", "ggrep");
  const args = ["lsp"];
  const file = settings.get("workspaceFile", "");
  const base = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (!file && !base) return;
  if (file) args.push("--workspace", isAbsolute(file) ? file : join(base ?? "/", file));
  client = new LanguageClient(
    "ggrep",
    "ggrep",
    { command: program, args },
    { documentSelector: [{ scheme: "file" }] },
  );
  await client.start().catch(() => undefined); // the client shows the failure
}

function running(): LanguageClient {
  if (client?.isRunning()) return client;
  throw new Error("ggrep lsp does not run: open a folder, set ggrep.command, or read its output");
}

async function command<T>(name: string, body: object, token: vscode.CancellationToken): Promise<T> {
  const params = { command: name, arguments: [body] };
  return ((await running().sendRequest(ExecuteCommandRequest.type, params, token)) ?? []) as T;
}

function folderOf(uri: string): string | undefined {
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return several ? vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri))?.name : undefined;
}

/** Ask ggrep alone where the name at the cursor leads; several places are peeked at. */
async function goTo(kind: "definition" | "references"): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const asked = running();
  const position = editor.selection.active;
  const params = {
    ...asked.code2ProtocolConverter.asTextDocumentPositionParams(editor.document, position),
    context: { includeDeclaration: false },
  };
  const answer = await asked.sendRequest<Location[] | null>(`textDocument/${kind}`, params);
  const locations = (await asked.protocol2CodeConverter.asReferences(answer)) ?? [];
  await vscode.commands.executeCommand(
    "editor.action.goToLocations",
    editor.document.uri,
    position,
    locations,
    "peek",
    `ggrep has no ${kind} of this name`,
  );
}

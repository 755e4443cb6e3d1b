// Runs in an extension host of VS Code, in the folder `shop`, with a workspace that has `bank` too.

import assert from "node:assert/strict";
import * as vscode from "vscode";

export async function run(): Promise<void> {
  await vscode.extensions.getExtension("ggrep.ggrep")?.activate();
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder);
  const file = vscode.Uri.joinPath(folder.uri, "pay.py");
  const editor = await vscode.window.showTextDocument(file);
  const at = new vscode.Position(4, 13);
  editor.selection = new vscode.Selection(at, at);

  const places = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
    "vscode.executeDefinitionProvider",
    file,
    at,
  );
  const uris = places.map((each) => ("uri" in each ? each.uri : each.targetUri).path);
  assert.ok(
    uris.some((path) => path.endsWith("/bank/ledger.py")),
    `definitions: ${uris}`,
  );

  const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
    "vscode.executeWorkspaceSymbolProvider",
    "refund_card",
  );
  assert.ok(
    symbols.some((each) => each.name === "refund_card"),
    "workspace symbols",
  );

  const hits = await vscode.commands.executeCommand<{ path: string }[]>(
    "ggrep.search",
    "give money back",
  );
  assert.ok(
    hits.some((each) => each.path === "ledger.py"),
    "the server's command",
  );

  await vscode.commands.executeCommand("ggrep.goToDefinition");
  await until(() => vscode.window.activeTextEditor?.document.uri.path.endsWith("/bank/ledger.py"));

  await vscode.commands.executeCommand("ggrep.hits.focus");
  await vscode.commands.executeCommand("ggrep.openSlate");
  const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await until(() => tabs().some((tab) => tab.label === "Slate"));
}

async function until(holds: () => boolean | undefined): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}

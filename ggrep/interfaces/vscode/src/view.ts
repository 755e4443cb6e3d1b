// A page in the side bar or in a panel: it asks the server, and opens places.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Answer, Target } from "./answers";
import { heard, html, type Said, type Shown } from "./html";

export type Ask = (query: string, token: vscode.CancellationToken) => Promise<Answer>;

export class Page {
  private targets: (Target | undefined)[] = [];
  private shown: Shown = { query: "", note: "", rows: [] };
  private asking = new vscode.CancellationTokenSource();

  constructor(
    private readonly ask: Ask,
    private readonly extension: vscode.Uri,
    private readonly label: string,
    private readonly side: boolean,
  ) {}

  /** Fill a webview; the answer of before is shown again in a new one. */
  show(webview: vscode.Webview): void {
    const nonce = randomBytes(16).toString("base64");
    const roots = ["dist", "media"].map((name) => vscode.Uri.joinPath(this.extension, name));
    const file = (...names: string[]) =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.extension, ...names)).toString();
    webview.options = { enableScripts: true, localResourceRoots: roots };
    webview.onDidReceiveMessage((message) => this.hear(heard(message), webview));
    webview.html = html({
      script: file("dist", "page.js"),
      style: file("media", "page.css"),
      source: webview.cspSource,
      nonce,
      label: this.label,
      side: this.side,
    });
  }

  private async hear(said: Said | undefined, webview: vscode.Webview): Promise<void> {
    if (said?.kind === "ready") await webview.postMessage(this.shown);
    if (said?.kind === "ask") await this.answer(said.query.trim(), webview);
    if (said?.kind === "open") await this.open(this.targets[said.row], said.keep);
  }

  private async answer(query: string, webview: vscode.Webview): Promise<void> {
    this.asking.cancel();
    const { token } = (this.asking = new vscode.CancellationTokenSource());
    let answer: Answer = { rows: [], note: "" };
    if (query) {
      await webview.postMessage({ ...this.shown, query, note: "Searching…" });
      try {
        answer = await this.ask(query, token);
      } catch (error) {
        answer.note = error instanceof Error ? error.message : String(error);
      }
    }
    if (token.isCancellationRequested) return;
    this.targets = answer.rows.map((row) => row.target);
    const rows = answer.rows.map(({ target: _, ...row }) => row);
    this.shown = { query, note: answer.note, rows };
    await webview.postMessage(this.shown);
  }

  /** Open a place; from the side bar a preview keeps the focus there. */
  private async open(target: Target | undefined, keep: boolean): Promise<void> {
    const uri = target && vscode.Uri.parse(target.uri, true);
    if (!target || uri?.scheme !== "file") return;
    const start = new vscode.Position(target.range.start.line, target.range.start.character);
    await vscode.window.showTextDocument(uri, {
      selection: new vscode.Range(start, start),
      preview: !keep,
      preserveFocus: !keep,
      viewColumn: this.side ? undefined : vscode.ViewColumn.One,
    });
  }
}

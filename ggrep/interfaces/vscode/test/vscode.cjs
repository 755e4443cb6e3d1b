// A stand-in for the module `vscode` under node: it keeps what is registered and shown in `fake`,
// and has an empty class, function or event for every other name.
"use strict";
const { readFileSync } = require("node:fs");
const { Module } = require("node:module");
const { fileURLToPath, pathToFileURL } = require("node:url");

const fake = {
  providers: {},
  commands: {},
  views: {},
  panels: [],
  opened: [],
  ran: [],
  errors: [],
  settings: {},
};
const disposable = () => ({ dispose() {} });

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.slice(0, text.indexOf(":"));
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(path) {
    return new Uri(pathToFileURL(path).href);
  }
  static joinPath(base, ...parts) {
    return new Uri([base.text, ...parts].join("/"));
  }
  get fsPath() {
    return fileURLToPath(this.text);
  }
  get path() {
    return new URL(this.text).pathname;
  }
  toString() {
    return this.text;
  }
}
class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(...at) {
    const [start, end] =
      at.length === 2 ? at : [new Position(at[0], at[1]), new Position(at[2], at[3])];
    Object.assign(this, { start, end });
  }
}
class Location {
  constructor(uri, range) {
    Object.assign(this, { uri, range });
  }
}
class MarkdownString {
  constructor(value = "") {
    this.value = value;
  }
}
class Hover {
  constructor(contents, range) {
    Object.assign(this, { contents, range });
  }
}
class EventEmitter {
  constructor() {
    this.heard = new Set();
    this.event = (listener) => {
      this.heard.add(listener);
      return { dispose: () => this.heard.delete(listener) };
    };
  }
  fire(value) {
    [...this.heard].forEach((listener) => listener(value));
  }
  dispose() {}
}
class CancellationTokenSource {
  constructor() {
    const cancelled = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: cancelled.event };
    this.cancel = () => {
      this.token.isCancellationRequested = true;
      cancelled.fire();
    };
  }
  dispose() {}
}
class Webview {
  constructor() {
    this.cspSource = "https://source.example";
    this.sent = [];
    this.asWebviewUri = (uri) => uri;
    this.onDidReceiveMessage = (listener) => {
      this.say = listener;
    };
    this.postMessage = async (message) => {
      this.sent.push(message);
      return true;
    };
  }
}

/** Return an object with an empty member for each name that `real` lacks. */
function rest(real) {
  return new Proxy(real, {
    get(object, name) {
      if (name in object || typeof name === "symbol") return object[name];
      if (name === "then") return undefined;
      if (/^[A-Z]/.test(name))
        return (object[name] = class {
          static [name] = 0;
        });
      if (/^registerFileSystemProvider|^on/.test(name)) return disposable;
      if (name.startsWith("register"))
        return (...all) => {
          fake.providers[name] = all.at(-1);
          return disposable();
        };
      if (name.startsWith("create")) return () => rest({ dispose() {} });
      return () => undefined;
    },
  });
}

const changed = new EventEmitter();
fake.change = (settings) => {
  Object.assign(fake.settings, settings);
  changed.fire({ affectsConfiguration: (name) => name === "ggrep" });
};
const vscode = rest({
  fake,
  Uri,
  Position,
  Range,
  Location,
  MarkdownString,
  Hover,
  EventEmitter,
  CancellationTokenSource,
  Webview,
  version: "1.100.0",
  ViewColumn: { One: 1, Beside: -2 },
  Disposable: class {
    constructor(work) {
      this.dispose = work;
    }
  },
  env: rest({ appName: "fake", language: "en" }),
  languages: rest({ match: () => 10 }),
  workspace: rest({
    textDocuments: [],
    notebookDocuments: [],
    workspaceFolders: [],
    getConfiguration: () => ({ get: (name, usual) => fake.settings[name] ?? usual }),
    getWorkspaceFolder: (uri) =>
      vscode.workspace.workspaceFolders.find((each) => uri.text.startsWith(`${each.uri.text}/`)),
    onDidChangeConfiguration: changed.event,
  }),
  commands: rest({
    registerCommand: (name, work) => {
      fake.commands[name] = work;
      return { dispose: () => delete fake.commands[name] };
    },
    executeCommand: async (...all) => {
      fake.ran.push(all);
    },
  }),
  window: rest({
    registerWebviewViewProvider: (name, provider) => {
      fake.views[name] = provider;
      return disposable();
    },
    createWebviewPanel: () => {
      const panel = {
        webview: new Webview(),
        reveal() {
          this.revealed = true;
        },
        onDidDispose: (work) => {
          panel.close = work;
        },
      };
      fake.panels.push(panel);
      return panel;
    },
    showTextDocument: async (uri, options) => {
      fake.opened.push({ uri: uri.text, ...options });
    },
    showErrorMessage: async (text) => {
      fake.errors.push(text);
    },
  }),
});

/** Return a document of the stand-in. */
fake.document = (path) => ({
  uri: Uri.file(path),
  languageId: "",
  version: 1,
  isClosed: false,
  getText: () => readFileSync(path, "utf8"),
});

const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));

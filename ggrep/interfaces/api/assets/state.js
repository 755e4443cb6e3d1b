// The state of the page is its address: links, reload, back and forward need nothing else.

import { shellWord } from "./dom.js";

const LISTS = ["f", "only"];
const TEXTS = ["q", "in", "find", "view", "level", "n", "file", "repo", "line", "name"];

export function readState() {
  const given = new URLSearchParams(location.search);
  const state = Object.fromEntries(TEXTS.map((key) => [key, given.get(key) ?? ""]));
  for (const key of LISTS) state[key] = given.getAll(key);
  return state;
}

/** The address of a state; empty values are left out. */
export function addressOf(state) {
  const parameters = new URLSearchParams();
  for (const key of TEXTS) if (state[key]) parameters.append(key, state[key]);
  for (const key of LISTS) for (const value of state[key] ?? []) parameters.append(key, value);
  const text = parameters.toString();
  return text ? `/?${text}` : "/";
}

/** The address of a file, with the search kept for the way back. */
export const fileAddress = (state, path, line, repo, name) =>
  addressOf({ ...state, view: "", file: path, line: line ? String(line) : "", repo: repo ?? state.repo, name: name ?? "" });

// Places: the server's repository, and its workspaces.

export class Places {
  constructor(document) {
    this.editors = document.editors;
    this.version = document.version;
    const { repository, workspaces } = document;
    this.all = [
      ...(repository ? [{ name: repository.name, repositories: [repository], workspace: null }] : []),
      ...workspaces.map(({ name, path, repositories }) => ({ name, repositories, workspace: path })),
    ];
  }

  /** The place that a state names, else the first one. */
  of(state) {
    return this.all.find((place) => place.name === state.in) ?? this.all[0];
  }

  /** The root of a repository of a place; undefined for the server's own, or an unknown one. */
  root(state, name) {
    const place = this.of(state);
    return place?.repositories.find((each) => !place.workspace || each.name === name)?.root ?? undefined;
  }
}

/** A repository's name for people: an id without its hash. */
export const shortName = (name) => name.replace(/-[0-9a-f]{12}$/, "");

/** A message about the repository at `root`, whose path the server leaves out of failures. */
export const withRoot = (message, root) => (root ? message.replaceAll(/'<redacted>'|<redacted>/g, () => shellWord(root)) : message);

const stored = (key, fallback) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? fallback;
  } catch {
    return fallback;
  }
};

export const settings = {
  get: (key) => stored("ggrep.settings", {})[key] ?? "",
  set: (key, value) => localStorage.setItem("ggrep.settings", JSON.stringify({ ...stored("ggrep.settings", {}), [key]: value })),
};

export const pastQueries = {
  all: () => stored("ggrep.history", []),
  add(query) {
    const others = this.all().filter((each) => each !== query);
    localStorage.setItem("ggrep.history", JSON.stringify([query, ...others].slice(0, 50)));
  },
  clear: () => localStorage.removeItem("ggrep.history"),
};

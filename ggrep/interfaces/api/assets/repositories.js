// The tour of a repository, and the status of each one: index, daemon, health, and progress as it happens.

import { get, post } from "./api.js";
import { command, count, h, shellWord, withCommands } from "./dom.js";
import { addressOf, fileAddress, shortName, withRoot } from "./state.js";

const LOOK_MS = 1500;
const LOOK_EACH_MS = 150;
const query = (root, more = {}) => `?${new URLSearchParams({ ...(root && { root }), includePaths: "true", ...more })}`;

/** The repository that a view is about, chosen among those of the workspace. */
function chooser({ state, place }) {
  if (!place.workspace) return null;
  return h("nav", { class: "chips", "aria-label": "Repositories" }, place.repositories.map(({ name }) =>
    h("a", { class: "chip", href: addressOf({ ...state, repo: name }), "aria-current": name === state.repo ? "true" : null }, shortName(name))));
}

export async function tourView(context) {
  const { state: given, places, place, signal } = context;
  const state = place.workspace ? { ...given, repo: given.repo || place.repositories[0]?.name } : given;
  const answer = await post("/tour", { root: places.root(state, state.repo), maxBytes: 16_000 }, signal);
  // A folder is no file to open, and its text begins with its path.
  const fact = ({ path, line, text }) => h("li", null, !path || path.endsWith("/") ? null : [h("a", { href: fileAddress(state, path, line, state.repo) }, path, line ? `:${line}` : ""), " "],
    path?.endsWith("/") && !text.startsWith(path) ? `${path} ${text}` : text);
  return {
    nodes: [h("div", { class: "hits tour" }, chooser({ state, place }), answer.sections.map(({ kind, facts, left_out: more }) =>
      h("section", null, h("h2", null, kind.replaceAll("_", " ")), h("ul", null, facts.map(fact)), more ? h("p", { class: "note" }, `${more} more`) : null)))],
    summary: "",
  };
}

const facts = (pairs) => h("dl", null, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
const bytes = (number) => (number >= 1e6 ? `${(number / 1e6).toFixed(1)} MB` : `${Math.ceil(number / 1e3)} kB`);
const time = (text) => h("time", { datetime: text }, new Date(text).toLocaleString());

function statusNode(status) {
  if (!status.running) {
    return status.indexed
      ? [h("p", { class: "state wait" }, "Indexed; no daemon runs."), h("p", null, "The next search starts one. To start it now: ", command(`ggrep serve --background --path ${shellWord(status.root)}`))]
      : [h("p", { class: "state bad" }, "Not indexed."), h("p", null, "To index it: ", command(`ggrep index --path ${shellWord(status.root)}`))];
  }
  const { snapshot, sync, daemon, queries, performance: figures, resources, watch } = status;
  const isBusy = sync.stage !== null;
  const hasIndex = Boolean(snapshot?.active_snapshot_id);
  const progress = sync.total_files ? `${sync.stage}: ${sync.done_files.toLocaleString("en")} of ${count(sync.total_files, "file")}` : sync.stage;
  return [
    h("p", { class: isBusy ? "state wait" : hasIndex ? "state good" : "state bad" }, isBusy ? "Indexing" : hasIndex ? "Ready" : "Not indexed."),
    !isBusy && !hasIndex && h("p", null, "To index it: ", command(`ggrep index --path ${status.root}`)),
    isBusy && h("label", { class: "progress" }, progress, " ", h("progress", { max: sync.total_files || null, value: sync.total_files ? sync.done_files : null })),
    sync.last_error && h("p", { class: "notices" }, withCommands(sync.last_error)),
    (status.warnings ?? []).map((each) => h("p", { class: "notices" }, withCommands(each.message))),
    hasIndex && facts([
      ["Snapshot", h("code", null, snapshot.active_snapshot_id)], ["Made", time(snapshot.created_at)],
      ["Files", snapshot.files.toLocaleString("en")], ["Chunks", snapshot.chunks.toLocaleString("en")],
      ["Commit", snapshot.head_sha && h("code", null, snapshot.head_sha.slice(0, 12), snapshot.dirty ? " and changes" : "")],
      ["Store", bytes(resources.disk.store_bytes)], ["Last sync", sync.last_sync_at && time(sync.last_sync_at)],
      ["Query time", figures.query_latency_p50_ms === null ? null : `${figures.query_latency_p50_ms} ms median, ${figures.query_latency_p95_ms} ms 95th percentile`],
      ["Queries", String(queries.query_total)], ["Watching", watch.mode], ["Daemon", `process ${daemon.pid}, ${bytes(daemon.rss_bytes)}, version ${daemon.binary_version}`],
    ]),
  ];
}

function healthNode(health) {
  const node = ({ code, severity, message, paths }) => h("li", { class: severity === "ok" ? "good" : severity === "warn" ? "warn" : "bad" },
    h("strong", null, code.replaceAll("_", " ")), " ", withCommands(message), paths.length ? h("ul", null, paths.slice(0, 5).map((path) => h("li", null, path))) : null);
  const [fine, other] = [health.checks.filter(({ severity }) => severity === "ok"), health.checks.filter(({ severity }) => severity !== "ok")];
  return [h("ul", { class: "notices" }, other.map(node)), h("details", null, h("summary", null, count(fine.length, "check"), " without a finding"), h("ul", { class: "notices" }, fine.map(node)))];
}

function card({ state, places, place, signal }, name) {
  const root = places.root(state, name);
  const [body, checks] = [h("div", { "aria-live": "polite" }, h("p", { class: "note" }, "…")), h("div")];
  const failed = (node) => (failure) => failure.name !== "AbortError" && node.replaceChildren(h("p", { class: "notices", role: "alert" }, withCommands(withRoot(failure.message, root))));
  const button = h("button", { type: "button", onclick: () => {
    checks.replaceChildren(h("p", { class: "note" }, "Checking…"));
    get(`/health${query(root)}`, signal).then((health) => checks.replaceChildren(...healthNode(health)), failed(checks));
  } }, "Check health");
  let shown = "";
  const look = async () => {
    try {
      const status = await get(`/status${query(root)}`, signal);
      // Figures of the moment change with each look; only a change for people is drawn.
      const { snapshot, sync, running, indexed, warnings } = status;
      const now = JSON.stringify([snapshot, sync?.stage, sync?.done_files, sync?.last_error, running, indexed, warnings]);
      if (now !== shown) body.replaceChildren(...statusNode(status).flat().filter(Boolean));
      shown = now;
    } catch (failure) {
      failed(body)(failure);
    }
    again();
  };
  // A look takes 10 ms of the processor, so many repositories are looked at less often, and hidden ones are not.
  const wait = Math.max(LOOK_MS, LOOK_EACH_MS * place.repositories.length);
  const again = () => signal.aborted || setTimeout(() => (document.hidden ? again() : look()), wait);
  look();
  return h("article", { class: "card" }, h("h2", null, shortName(name)), body, button, checks);
}

export async function statusView(context) {
  const { place } = context;
  return {
    nodes: [h("div", { class: "cards" }, place.repositories.map(({ name }) => card(context, name)))],
    summary: place.workspace ? count(place.repositories.length, "repository").replace("repositorys", "repositories") : "",
  };
}

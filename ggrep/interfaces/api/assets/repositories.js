// The tour of a repository, and the status of each one: index, daemon, health, and progress as it happens.

import { get, getText, post } from "./api.js";
import { command, count, h, s, shellWord, withCommands } from "./dom.js";
import { addressOf, fileAddress, shortName, withRoot } from "./state.js";

const LOOK_MS = 1500;
const LOOK_EACH_MS = 150;
const DAEMONS_MS = 10_000;
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

/** Chunks of the retained snapshots over time as a line, and each of them in words. */
function snapshotsNode(retained) {
  const [WIDTH, HEIGHT] = [220, 36];
  const times = retained.map((each) => Date.parse(each.created_at));
  const [begin, span] = [times.at(-1), times[0] - times.at(-1) || 1];
  const most = Math.max(...retained.map(({ chunks }) => chunks), 1);
  const points = retained.map(({ chunks }, index) => [4 + ((times[index] - begin) / span) * (WIDTH - 8), HEIGHT - 4 - (chunks / most) * (HEIGHT - 8)]);
  return h("details", { class: "snapshots" }, h("summary", null, count(retained.length, "snapshot"),
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
      s("polyline", { class: "edge", points: points.join(" ") }), points.map(([cx, cy]) => s("circle", { cx, cy, r: 3 })))),
    h("ul", null, retained.map(({ created_at: at, files, chunks }) => h("li", null, time(at), ` · ${count(files, "file")} · ${count(chunks, "chunk")}`))));
}

function statusNode(status) {
  if (!status.running) {
    return status.indexed
      ? [h("p", { class: "state wait" }, "Indexed; no daemon runs."), h("p", null, "A daemon keeps the index up to date. To start one: ", command(`ggrep serve --background --path ${shellWord(status.root)}`))]
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
      ["Snapshots", snapshot.retained?.length > 1 && snapshotsNode(snapshot.retained)],
      ["Queries", String(queries.query_total)], ["Watching", watch.mode], ["Daemon", `process ${daemon.pid}, ${bytes(daemon.rss_bytes)}, version ${daemon.binary_version}`],
    ]),
  ];
}

function healthNode(health) {
  const node = ({ code, severity, message, paths }) => h("li", { class: severity === "ok" ? "good" : severity === "warn" ? "warn" : "bad" },
    h("strong", null, code.replaceAll("_", " ")), " ", withCommands(message), paths.length ? h("ul", null, paths.slice(0, 5).map((path) => h("li", null, path))) : null);
  const [fine, other] = [health.checks.filter(({ severity }) => severity === "ok"), health.checks.filter(({ severity }) => severity !== "ok")];
  return [h("ul", { class: "notices" }, other.map(node)), h("details", null, h("summary", null, "No problem in ", count(fine.length, "check")), h("ul", { class: "notices" }, fine.map(node)))];
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
      if (place.workspace && failure.status === 400) body.append(h("p", null, "If it is gone: ", command(`ggrep workspace remove ${shellWord(place.workspace)} ${shellWord(name)}`)));
    }
    again();
  };
  // A look takes 10 ms of the processor, so many repositories are looked at less often, and hidden ones are not.
  const wait = Math.max(LOOK_MS, LOOK_EACH_MS * place.repositories.length);
  const again = () => signal.aborted || setTimeout(() => (document.hidden ? again() : look()), wait);
  look();
  return h("article", { class: "card" }, h("h2", null, shortName(name)), body, button, checks);
}

/** Figures of all daemons of the home by store, of Prometheus' text. */
function daemonsOf(text) {
  const daemons = new Map();
  for (const [, name, labels, value] of text.matchAll(/^ggrep_(\w+)\{(.*)\} (\S+)$/gm)) {
    const label = new Map([...labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, key, quoted]) => [key, quoted.replace(/\\(.)/g, (_, each) => (each === "n" ? "\n" : each))]));
    const store = label.get("store");
    if (!daemons.has(store)) daemons.set(store, new Map());
    daemons.get(store).set([name, label.get("quantile") ?? label.get("status")].filter(Boolean).join(" "), Number(value));
    if (label.has("root")) daemons.get(store).set("root", label.get("root"));
  }
  daemons.delete(undefined);
  return daemons;
}

function daemonNode([store, figures]) {
  const figure = (name, text) => (figures.has(name) ? text(figures.get(name)) : null);
  const ms = (seconds) => `${Math.round(1000 * seconds)} ms`;
  const [isUp, isBusy, isStale] = [figures.get("daemon_up"), figures.get("sync_running"), figures.get("stale")];
  const parts = [
    isUp ? (isBusy ? "indexing" : isStale ? "serves a former configuration" : "ready") : "does not answer",
    figure("queries_total ok", (number) => `${count(number, "query").replace("querys", "queries")}`),
    figure("query_latency_seconds 0.5", (seconds) => `${ms(seconds)} median`), figure("query_latency_seconds 0.95", (seconds) => `${ms(seconds)} 95th percentile`),
    figure("resident_bytes", bytes), figure("uptime_seconds", (seconds) => `up ${Math.round(seconds / 60)} min`),
  ];
  return h("li", { class: `state ${isUp ? (isBusy || isStale ? "wait" : "good") : "bad"}`, title: store }, h("strong", null, figures.get("root") || store), " ", parts.filter(Boolean).join(" · "),
    !isUp && [" To stop all: ", command("ggrep stop-all")]);
}

function daemonsNode({ signal }) {
  const list = h("ul");
  const look = async () => {
    if (!document.hidden) {
      await getText("/metrics", signal).then((text) => {
        const daemons = [...daemonsOf(text)];
        list.replaceChildren(...(daemons.length ? daemons.map(daemonNode) : [h("li", { class: "note" }, "No daemon runs.")]));
      }, () => null);
    }
    if (!signal.aborted) setTimeout(look, DAEMONS_MS);
  };
  look();
  return h("section", { class: "card daemons" }, h("h2", null, "Daemons of this home"), list);
}

export async function statusView(context) {
  const { place } = context;
  return {
    nodes: [h("div", { class: "cards" }, place.repositories.map(({ name }) => card(context, name)), daemonsNode(context))],
    summary: place.workspace ? count(place.repositories.length, "repository").replace("repositorys", "repositories") : "",
  };
}

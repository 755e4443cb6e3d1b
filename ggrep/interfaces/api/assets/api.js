// Requests to the server, and the key that they present.

const KEY = "ggrep.key";

export class Failure extends Error {
  constructor(status, document) {
    super(document?.message ?? (status ? `the server answered with status ${status}` : "the server does not answer"));
    this.status = status;
    this.code = document?.code ?? (status ? "" : "unreachable");
    this.document = document;
  }
}

const headers = (credential) => (credential ? { authorization: `Bearer ${credential}` } : {});

async function request(method, path, body, signal, credential = localStorage.getItem(KEY)) {
  const init = { method, signal, headers: headers(credential), credentials: "omit", cache: "no-store" };
  if (body) {
    init.body = JSON.stringify(body);
    init.headers["content-type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Failure(0);
  }
  if (!response.ok) throw new Failure(response.status, await response.json().catch(() => null));
  return response;
}

/** Exchange a code or the token for a key, which every tab of this address then presents. */
export async function unlock(credential) {
  const { key } = await (await request("POST", "/session", null, undefined, credential)).json();
  if (key) localStorage.setItem(KEY, key);
}

/** Take the code out of the address, before anything else can read it, and use it; return why it opens nothing. */
export async function unlockByAddress() {
  const code = location.hash.slice(1);
  if (!/^[\w-]{32}$/.test(code)) return "";
  history.replaceState(null, "", location.pathname + location.search);
  return unlock(code).then(() => "", (failure) => failure.message);
}

/** Call `listener` when another tab was unlocked. */
export const whenUnlocked = (listener) =>
  addEventListener("storage", (event) => event.key === KEY && event.newValue && listener());

export const get = async (path, signal) => (await request("GET", path, null, signal)).json();
export const getText = async (path, signal) => (await request("GET", path, null, signal)).text();
export const post = async (path, body, signal) => (await request("POST", path, body, signal)).json();

/** Send a search whose answer arrives as events; return the answer. */
export async function stream(path, body, signal, onRepository) {
  const reader = (await request("POST", path, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += value ?? "";
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const [, name, data] = /^event: (\w+)\ndata: ([^]*)/.exec(text.slice(0, end)) ?? [];
      if (name === "repo") onRepository(JSON.parse(data));
      if (name === "answer") return JSON.parse(data);
      if (name === "error") throw new Failure(200, JSON.parse(data));
    }
    if (done) throw new Failure(0);
  }
}

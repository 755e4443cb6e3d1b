"""From a key press, or from opening a link, to painted hits, against the request of the page."""

import http.client
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus, urlsplit

from bench.serving import (
    Words,
    bare_environ,
    load_average,
    median_ratio,
    medians,
    paired,
    timed_ms,
)
from ggrep.base import stable_json

ROUNDS: Final = 24
_WATCH: Final = """
window.watch = (begun) => {
  const begin = (event) => { begun ??= event.timeStamp; };
  addEventListener("keydown", begin, { capture: true, once: true });
  window.painted = new Promise((resolve) => {
    new PerformanceObserver((entries, observer) => {
      observer.disconnect();
      document.querySelector("[elementtiming]").remove();
      resolve(entries.getEntries()[0].renderTime - begun);
    }).observe({ type: "element" });
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".hit")) return;
      observer.disconnect();
      const mark = document.createElement("p");
      mark.setAttribute("elementtiming", "hits");
      mark.append("hits");
      document.querySelector("header").append(mark);
    }).observe(document, { childList: true, subtree: true });
  });
};
if (location.search) watch(0);
"""
"""`painted` resolves with the ms from a key, or a navigation, until hits are displayed."""
_CLEAR: Final = """(text) => {
  document.querySelector("#main").replaceChildren();
  document.querySelector("#query").value = text;
  document.querySelector("#query").focus();
  watch();
}"""


def measure(work: Path, tree: Path) -> list[str]:
    """Return lines: the time of keys and of links, each beside the bare request."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return ["page: no Chromium is installed: apt-get install chromium"]
    from playwright.sync_api import sync_playwright

    words = Words(tree)
    with _serving(work / "home", tree) as (url, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(_WATCH)
        page.goto(f"{url}/")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Open").click()
        page.get_by_role("heading", name="Search ").wait_for()

        def key() -> float:
            query = words.next()
            page.evaluate(_CLEAR, query[:-1])
            page.keyboard.press(query[-1])
            return float(page.evaluate("painted"))

        def link() -> float:
            page.goto(f"{url}/?q={quote_plus(words.next())}")
            return float(page.evaluate("painted"))

        with page.expect_request("**/search") as request:
            key()
        bare = _bare(urlsplit(url).netloc, request.value, words)
        lines = [_line("the last key", key, bare), _line("opening a link", link, bare)]
        browser.close()
    return lines


def _bare(host: str, request: Any, words: Words) -> Callable[[], float]:
    """Return what sends the page's request with another query, and returns how long it took."""
    body = stable_json.loads(request.post_data)
    headers = {name: request.headers[name] for name in ("authorization", "content-type")}
    connection = http.client.HTTPConnection(host)

    def ask() -> float:
        data = stable_json.dumps({**body, "query": words.next()})

        def answer() -> None:
            connection.request("POST", "/search", data, headers)
            stable_json.loads(connection.getresponse().read())

        return timed_ms(answer)

    return ask


def _line(name: str, act: Callable[[], float], bare: Callable[[], float]) -> str:
    pairs = paired(act, bare, ROUNDS)
    page_ms, bare_ms = medians(pairs)
    least = [min(side) for side in zip(*pairs, strict=True)]
    return (
        f"page: from {name} to displayed hits {page_ms:.0f} ms (least {least[0]:.0f}), the request"
        f" {bare_ms:.0f} ms (least {least[1]:.0f}), {median_ratio(pairs):.2f}x of it (goal <= 1.3),"
        f" {load_average()}"
    )


@contextmanager
def _serving(home: Path, tree: Path) -> Iterator[tuple[str, str]]:
    """Index a tree; yield the page's address and the token."""
    environ = bare_environ(home, {})
    ggrep = [sys.executable, "-m", "ggrep"]
    subprocess.run([*ggrep, "index", str(tree), "--plain"], env=environ, check=True)
    serve = [*ggrep, "serve", "--path", str(tree)]
    serve_ui = [*ggrep, "ui", "--port", "0", "--no-open", str(tree)]
    with (
        subprocess.Popen(serve, env=environ, stderr=subprocess.DEVNULL) as daemon,
        subprocess.Popen(serve_ui, env=environ, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            url = server.stdout.readline().partition("/#")[0]
            yield url, (home / "api-token").read_text().strip()
        finally:
            daemon.terminate()
            server.terminate()

"""A real server, and pages of headless Chromium."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import Struct

from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from tests.fakes.places import short_directory
from tests.fakes.repos import write_tree
from tests.ui.hostile import HOSTILE

CHROMIUM = shutil.which("chromium")
WORKSPACE = """{"schemaVersion": 1, "repos": [
  {"root": "shop", "alias": "shop"}, {"root": "bank", "alias": "bank"},
  {"root": "evil", "alias": "evil"}, {"root": "gone", "alias": "gone"}]}"""
WIDE = "[" + ",".join(['"a",1'] * 30_000) + "]\n"
SHOP = {
    "pay/charge.py": 'LIMIT = 10\n\n\ndef charge_card(card, money):\n    """Charge a card."""\n'
    "    return money < LIMIT\n",
    "pay/order.py": "from pay.charge import charge_card\n\n\ndef order(card):\n"
    "    return charge_card(card, 5)\n",
    "web/pay.ts": "export function payNow(card: string) { return card; }\n",
    "tests/test_charge.py": "from pay.charge import charge_card\n\n\ndef test_charge():\n"
    "    assert charge_card('card', 1)\n",
    "README.md": "# Shop\n\nA shop that charges cards.\n",
    "wide.json": WIDE,
    "long.py": "\n".join(f"value_{number} = {number}" for number in range(3000)) + "\n",
}
BANK = {"ledger.py": "def refund_card(card):\n    return -card\n"}


class Server(Struct, frozen=True):
    """A server of the page.

    Attributes:
        address: what `ggrep ui` printed.
    """

    url: str
    address: str
    place: Path
    environ: dict[str, str]

    @property
    def token(self) -> str:
        return (Path(self.environ["GGREP_HOME"]) / "api-token").read_text().strip()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Return what starts `ggrep ui` over a workspace of indexed repositories."""
    place = tmp_path_factory.mktemp("ui").resolve()
    for name, files in {"shop": SHOP, "bank": BANK, "evil": HOSTILE}.items():
        write_tree(place / name, files)
        (place / name / ".ggrep.toml").write_text("")
    (place / "w.jsonc").write_text(WORKSPACE)
    processes: list[subprocess.Popen[str]] = []
    with short_directory() as base:
        more = {"GGREP_HOME": str(base / "home"), "GGREP_OFFLINE": "1", "GGREP_PARSE_WORKERS": "1"}
        environ = os.environ | more
        for name in ("shop", "bank", "evil"):
            Engine(place / name, Home(base / "home")).sync()

        def run(*arguments: str, cwd: Path = place, **more: str) -> Server:
            command = [sys.executable, "-m", "ggrep", "ui", "--port", "0", "--no-open", *arguments]
            process = subprocess.Popen(
                command, cwd=cwd, env={**environ, **more}, stdout=subprocess.PIPE, text=True
            )
            processes.append(process)
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            return Server(address.partition("/#")[0], address, place, environ)

        yield run
        for process in processes:
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(start: Callable[..., Server]) -> Server:
    return start("--workspace", "w.jsonc")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Return a browser; it ends with the module, as its event loop would be in others' way."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def errors() -> list[str]:
    """Return the errors of all pages, which `make_page` empties before each test."""
    return []


@pytest.fixture
def make_page(chromium: Any, errors: list[str]) -> Iterator[Callable[..., Any]]:
    """Return a function that makes a page with its own storage; script errors fail the test."""
    contexts: list[Any] = []
    errors.clear()

    def make(context: Any = None, **options: Any) -> Any:
        if context is None:
            context = new_context(chromium, **options)
            contexts.append(context)
        return new_page(context, errors)

    yield make
    for context in contexts:
        context.close()
    assert errors == []


def new_context(chromium: Any, **options: Any) -> Any:
    context = chromium.new_context(**options)
    context.set_default_timeout(60_000)
    return context


def new_page(context: Any, errors: list[str]) -> Any:
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if _is_bad(message) else None)
    page.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
    return page


def _is_bad(message: Any) -> bool:
    # A refused request is the page's own matter; a breach of the policy is not.
    return message.type == "error" and "Failed to load resource" not in message.text


@pytest.fixture(scope="module")
def state(server: Server) -> dict[str, Any]:
    """Return the storage of a browser that has a key."""
    answer = httpx.post(
        f"{server.url}/session", headers={"authorization": f"Bearer {server.token}"}
    )
    key = {"name": "ggrep.key", "value": answer.json()["key"]}
    return {"cookies": [], "origins": [{"origin": server.url, "localStorage": [key]}]}


@pytest.fixture(scope="module")
def shared_page(chromium: Any, server: Server, state: dict[str, Any], errors: list[str]) -> Any:
    """Return the page of the tests that take `page`."""
    page = new_page(new_context(chromium, storage_state=state), errors)
    page.goto(server.url + "/")
    return page


@pytest.fixture
def page(
    make_page: Callable[..., Any], shared_page: Any, server: Server, state: dict[str, Any]
) -> Any:
    """Return a page of the workspace, with a key, no other storage and a long history."""
    shared_page.unroute_all()
    shared_page.evaluate(
        "([key]) => { localStorage.clear(); sessionStorage.clear();"
        " localStorage.setItem(key.name, key.value); }",
        state["origins"][0]["localStorage"],
    )
    return opened(shared_page, server)


@pytest.fixture
def fresh_page(make_page: Callable[..., Any], server: Server, state: dict[str, Any]) -> Any:
    """Return a new page of the workspace that has a key."""
    return opened(make_page(storage_state=state), server)


def opened(page: Any, server: Server) -> Any:
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto(server.url + "/")
    page.get_by_role("heading", name="Search ").wait_for()
    return page

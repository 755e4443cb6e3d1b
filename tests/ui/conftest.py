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
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    place = tmp_path_factory.mktemp("ui").resolve()
    for name, files in {"shop": SHOP, "bank": BANK, "evil": HOSTILE}.items():
        write_tree(place / name, files)
        (place / name / ".ggrep.toml").write_text("")
    (place / "w.jsonc").write_text(WORKSPACE)
    processes: list[subprocess.Popen[str]] = []
    with short_directory() as base:
        environ = {**os.environ, "GGREP_HOME": str(base / "home"), "GGREP_OFFLINE": "1"}
        for name in ("shop", "bank", "evil"):
            command = [sys.executable, "-m", "ggrep", "index", name]
            subprocess.run(command, cwd=place, env=environ, check=True, capture_output=True)

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
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def make_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return what makes a page with its own storage; errors of its scripts fail the test."""
    errors: list[str] = []
    contexts: list[Any] = []

    def make(context: Any = None, **options: Any) -> Any:
        if context is None:
            context = chromium.new_context(**options)
            context.set_default_timeout(20_000)
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda message: errors.append(message.text) if _is_bad(message) else None
        )
        page.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


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


@pytest.fixture
def page(make_page: Callable[..., Any], server: Server, state: dict[str, Any]) -> Any:
    """Return a page of the workspace that has a key."""
    found = make_page(viewport={"width": 1200, "height": 900}, storage_state=state)
    found.goto(server.url + "/")
    found.get_by_role("heading", name="Search ").wait_for()
    return found

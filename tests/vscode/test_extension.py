"""The extension for VS Code: its own tests under node, and in a workbench where one is installed.

The workbench is `code-server` on the path, which headless Chromium shows.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ggrep.base import stable_json
from tests.fakes.places import short_directory
from tests.fakes.repos import write_tree
from tests.ui.conftest import CHROMIUM, chromium, make_page  # noqa: F401 - fixtures
from tests.ui.hostile import HOSTILE, PAYLOADS

pytestmark = [pytest.mark.deep, pytest.mark.slow]

SOURCES = Path(__file__).parents[2] / "ggrep/interfaces/vscode"
GGREP = Path(sys.executable).with_name("ggrep")
FILES = {
    "shop/.ggrep.toml": "",
    "shop/pay.py": "from ledger import refund_card\n\n\ndef order(card):\n"
    "    return refund_card(card)\n",
    "bank/.ggrep.toml": "",
    "bank/ledger.py": 'def refund_card(card):\n    """Give money back."""\n    return -card\n',
    "evil/.ggrep.toml": "",
    **{f"evil/{name}": text for name, text in HOSTILE.items()},
    "all.jsonc": '{"schemaVersion": 1, "repos": [{"root": "shop", "alias": "shop"},'
    ' {"root": "bank", "alias": "bank"}, {"root": "evil", "alias": "evil"}]}',
    "shop/.vscode/settings.json": '{"ggrep.workspaceFile": "../all.jsonc"}',
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with its packages, built."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node or npm is not installed: apt-get install npm")
    place = tmp_path_factory.mktemp("vscode") / "sources"
    shutil.copytree(SOURCES, place, ignore=shutil.ignore_patterns("node_modules", "dist"))
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"], ["run", "tests"]):
        run("npm", *command, cwd=place)
    return place


def run(*command: str | Path, cwd: Path, **environ: str) -> str:
    """Return what a command writes; its failure shows that."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_its_own_tests_pass(built: Path) -> None:
    """Types, rows and messages; and the bundle against a real server over two repositories."""
    run("npm", "test", cwd=built, GGREP_COMMAND=str(GGREP))


def test_hostile_text_in_a_page_is_inert(built: Path, make_page: Callable[..., Any]) -> None:  # noqa: F811
    """Under the policy of the document nothing runs, and the text is shown as it is."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    source = "https://page.example"
    frame = {"script": f"{source}/dist/page.js", "style": f"{source}/media/page.css"}
    frame |= {"source": source, "nonce": "n0nce", "label": "Search", "side": ""}
    run("npx", "esbuild", "src/html.ts", "--format=cjs", "--outfile=dist/html.js", cwd=built)
    script = (
        f"process.stdout.write(require('./dist/html.js').html({stable_json.dumps(frame).decode()}))"
    )
    document = run("node", "-e", script, cwd=built)
    page = make_page()

    def served(route: Any) -> None:
        name = route.request.url.removeprefix(f"{source}/")
        if name:
            route.fulfill(path=built / name)
        else:
            route.fulfill(body=document, content_type="text/html")

    page.route(f"{source}/**", served)
    page.add_init_script(
        "window.sent = []; window.acquireVsCodeApi = () => ({postMessage: (m) => sent.push(m)})"
    )
    page.goto(f"{source}/")
    rows = [
        {"kind": kind, "label": text, "detail": text, "text": text}
        for text in PAYLOADS
        for kind in ("heading", "file", "piece")
    ]
    page.evaluate(
        "shown => window.postMessage(shown)", {"query": "q", "note": PAYLOADS[0], "rows": rows}
    )
    page.locator("li").nth(len(rows) - 1).wait_for()
    page.locator("li.file button").nth(1).click()
    page.locator("input").fill("x")
    page.locator("input").press("Enter")

    assert page.locator("pre").all_text_contents() == [each for each in PAYLOADS for _ in range(2)]
    assert page.locator("script, img, svg, iframe, style").count() == 1
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("sent") == [
        {"kind": "ready"},
        {"kind": "open", "row": 4, "keep": False},
        {"kind": "ask", "query": "x"},
    ]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Return indexed repositories, a hostile one among them, and the data of a workbench."""
    with short_directory() as base:
        write_tree(base, FILES)
        settings = stable_json.dumps(
            {"ggrep.command": str(GGREP), "workbench.startupEditor": "none"}
        )
        for name in ("Machine", "User"):
            (base / "data" / name).mkdir(parents=True)
            (base / "data" / name / "settings.json").write_bytes(settings)
        environ = {"GGREP_HOME": str(base / "home")}
        run(GGREP, "workspace", "build", "all.jsonc", cwd=base, **environ)
        yield base
        run(GGREP, "stop-all", cwd=base, **environ)


@pytest.fixture(scope="module")
def workbench(built: Path, place: Path) -> Iterator[str]:
    """Return the address of a workbench that has the first repository and the extension."""
    program = shutil.which("code-server")
    if program is None or CHROMIUM is None:
        pytest.skip("code-server or Chromium is not installed")
    command = [program, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry"]
    command += ["--disable-update-check", "--disable-workspace-trust"]
    command += ["--user-data-dir", str(place / "data"), "--extensions-dir", str(place / "none")]
    environ = {"GGREP_HOME": str(place / "home"), "EXTENSIONS_GALLERY": "{}", "HOME": str(place)}
    process = subprocess.Popen(
        command, env={**os.environ, **environ}, stdout=subprocess.PIPE, text=True, cwd=place
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    address = next(line.split()[-1].rstrip("/") for line in lines if "listening on http" in line)
    host = address.removeprefix("http://")
    remote = f"vscode-remote://{host}{built}"
    payload = [
        ["extensionDevelopmentPath", remote],
        ["extensionTestsPath", f"{remote}/dist/test/inside.js"],
    ]
    yield f"{address}/?folder={place}/shop&payload={quote(stable_json.dumps(payload).decode())}"
    process.terminate()
    process.communicate(timeout=60)


def test_in_the_extension_host_of_a_workbench(workbench: str, chromium: Any) -> None:  # noqa: F811
    """`test/inside.ts` passes in VS Code's own runner of extension tests."""
    page = chromium.new_page()
    codes: list[int] = []
    logged: list[str] = []
    page.expose_function("codeAutomationExit", lambda code, *_: codes.append(code))
    page.expose_function("codeAutomationLog", lambda _, words: logged.append(str(words)))
    page.goto(workbench, wait_until="commit")
    for _ in range(600):
        if codes:
            break
        page.wait_for_timeout(500)

    assert codes == [0], "\n".join(logged)

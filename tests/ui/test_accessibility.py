"""Accessibility by axe, which is fetched for the test and shipped nowhere."""

import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ui.conftest import Server

pytestmark = [pytest.mark.slow, pytest.mark.deep]

VIEWS = (
    "",
    "?q=charge+a+card",
    "?q=charge_card&find=exact-text&only=shop",
    "?q=charge+a+card&view=slate&level=2",
    "?q=(&find=regex",
    "?view=tour&repo=shop",
    "?view=status",
    "?q=card&file=pay/charge.py&repo=shop&line=4&name=charge_card",
)


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("axe comes from npm, which is not installed")
    command = [npm, "pack", "--silent", "axe-core@4.10.3"]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
        pytest.skip("axe could not be fetched")
    with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_axe_reports_nothing(
    make_page: Callable[..., Any],
    server: Server,
    state: dict[str, Any],
    axe: str,
    scheme: str,
    width: int,
) -> None:
    """In every view; all rules of WCAG AA and the best practices."""
    page = make_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme, storage_state=state
    )
    reports = {}
    for view in VIEWS:
        page.goto(f"{server.url}/{view}")
        page.locator("#main > *").first.wait_for()
        page.wait_for_load_state("networkidle")
        session = page.context.new_cdp_session(page)
        session.send("Runtime.evaluate", {"expression": axe})
        answer = session.send(
            "Runtime.evaluate",
            {
                "expression": "axe.run().then((report) => report.violations.map((each) => "
                "`${each.id}: ${each.nodes.map((node) => node.target).slice(0, 3)}`))",
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        reports[view] = answer["result"].get("value", answer)
    assert {view: report for view, report in reports.items() if report} == {}

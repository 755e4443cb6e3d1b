"""Images of docs/images: searches of the example services, on a terminal and on the page.

`python -m tests.docs.images` writes them; those of the page need Chromium.
"""

import html
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from ggrep.interfaces.entry import main as ggrep
from tests.docs.pages import ROOT
from tests.journeys.household import household

IMAGES: Final = ROOT / "docs" / "images"
FILE: Final = IMAGES / "terminal.svg"
LINE: Final = 'ggrep "give back more than was charged" -m 2'
_QUERY: Final = "how is a refund limited to the charged amount"
_SERVICES: Final = ROOT / "fixtures" / "repos"
_COLUMNS: Final = 100
_FORMAT: Final = """\
<svg viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font: {char_height}px monospace; white-space: pre; }}
{styles}</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="#0c0c0c"/>
<g transform="translate(8, 8)" class="{unique_id}-matrix">{backgrounds}{matrix}</g>
</svg>
"""
"""Without the frame of a window and without a font from another server."""


def output() -> str:
    """Return what the search prints, in colour."""
    with household() as house:
        root = shutil.copytree(_SERVICES / "shop", house.base / "shop")
        house.index(root)
        words = [*shlex.split(LINE)[1:], "--color", "always", "--offline"]
        return house.run_here(ggrep, *words, cwd=root, COLUMNS=str(_COLUMNS - 2)).out


def image(printed: str) -> str:
    """Return the image of a terminal with the command and what it printed."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO())
    console.print(f"[bold]$ {LINE}", highlight=False)
    console.print(Text.from_ansi(printed))
    return console.export_svg(title="", code_format=_FORMAT, unique_id="terminal")


def lines_of(svg: str) -> Iterator[str]:
    """Yield the lines of text of an image."""
    rows: dict[float, str] = {}
    for y, text in re.findall(r'<text [^>]*? y="([\d.]+)"[^>]*>([^<]*)</text>', svg):
        rows[float(y)] = rows.get(float(y), "") + html.unescape(text)
    yield from (rows[y].replace("\xa0", " ").strip() for y in sorted(rows))


def write_page_images() -> None:
    """Write the images of the page: hits with the parts of a score, and a slate in dark colours."""
    from playwright.sync_api import sync_playwright

    with household() as house, sync_playwright() as started:
        house.variables["GGREP_OFFLINE"] = "1"
        services = shutil.copytree(_SERVICES, house.base / "services")
        folders = sorted(path.name for path in services.iterdir() if path.is_dir())
        house.run("workspace", "init", "services.jsonc", *folders, cwd=services)
        house.run("workspace", "build", "services.jsonc", cwd=services)
        words = ["ui", "--workspace", "services.jsonc", "--port", "0", "--no-open"]
        server = house.start(*words, cwd=services)
        assert server.stdout is not None
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        page.goto(server.stdout.readline().strip())
        page.get_by_role("searchbox", name="Query").fill(_QUERY)
        page.get_by_role("searchbox", name="Query").press("Enter")
        page.locator("#query:not(:focus)").wait_for()
        page.get_by_text("Score").first.click()
        _take(page, "page-search.png")
        page.emulate_media(color_scheme="dark")
        page.get_by_role("link", name="Slate").click()
        page.get_by_role("heading", name="Graph").wait_for()
        _take(page, "page-slate.png")
        browser.close()
        server.terminate()
        server.communicate(timeout=60)


def _take(page: Any, name: str) -> None:
    """Write an image of the page without its time, which differs between runs."""
    page.evaluate("""() => {
        const summary = document.querySelector("#summary");
        summary.textContent = summary.textContent.replace(/ · \\d+ ms/, "");
        document.activeElement.blur();
    }""")
    page.screenshot(path=IMAGES / name, animations="disabled", caret="hide")


if __name__ == "__main__":
    FILE.write_text(image(output()), encoding="utf-8")
    sys.exit(write_page_images())

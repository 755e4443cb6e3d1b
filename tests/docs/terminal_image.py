"""docs/images/terminal.svg: a search of the example services, as a terminal shows it.

`python -m tests.docs.terminal_image` writes it.
"""

import html
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.text import Text

from tests.docs.pages import ROOT
from tests.journeys.household import household

FILE: Final = ROOT / "docs" / "images" / "terminal.svg"
LINE: Final = 'ggrep "give back more than was charged" -m 2'
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
        root = house.base / "shop"
        shutil.copytree(ROOT / "fixtures/repos/shop", root)
        house.run("index", cwd=root)
        words = [*shlex.split(LINE)[1:], "--color", "always", "--offline"]
        return house.run(*words, cwd=root, COLUMNS=str(_COLUMNS - 2)).out


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


if __name__ == "__main__":
    FILE.write_text(image(output()), encoding="utf-8")

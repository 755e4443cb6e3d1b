"""The page that holds what was measured: tables are put into it, each between its markers."""

from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "quality.md"


def put(page: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of that name; without markers add them at the end."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    old = page.read_text(encoding="utf-8")
    if start not in old or end not in old:
        old += f"\n{start}{end}"
    head, _, rest = old.partition(start)
    _, _, tail = rest.partition(end)
    page.write_text(f"{head}{start}\n{text}\n{end}{tail}", encoding="utf-8")

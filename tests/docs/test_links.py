"""Links and paths in the documentation lead somewhere."""

import re
from pathlib import Path

from tests.docs.pages import PAGES, ROOT

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PATH = re.compile(r"`((?:ggrep|training|tests|docs|workspaces|\.ci)/[\w./-]+)")


def anchors(path: Path) -> set[str]:
    """Return the names that headings of a page are linked by."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_link_is_dead() -> None:
    """A reader who follows a link must arrive."""
    links = [(path, link) for path in PAGES for link in _LINK.findall(path.read_text("utf-8"))]
    dead = []
    for path, link in links:
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if "://" in link:
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append((path, link))

    assert dead == []


def test_files_that_are_named_exist() -> None:
    """Code moves; pages that speak of it must move along."""
    named = [(path, name) for path in PAGES for name in _PATH.findall(path.read_text("utf-8"))]

    assert [(path, name) for path, name in named if not (ROOT / name.rstrip(".")).exists()] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    """A page that nothing links to is not read."""
    seen, ahead = set(), [ROOT / "README.md"]
    while ahead:
        path = ahead.pop()
        if path in seen:
            continue
        seen.add(path)
        found = _LINK.findall(path.read_text(encoding="utf-8"))
        targets = [(path.parent / link.partition("#")[0]).resolve() for link in found]
        for target in targets:
            ahead += sorted(target.glob("*.md")) if target.is_dir() else []
            ahead += [target] if target.suffix == ".md" else []

    assert set(PAGES) - seen == set()

"""Links, the README's first screen, and words that no page may hold."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.model.filters import FILTER_KEYS
from tests.docs import images
from tests.docs.pages import PAGES, ROOT, page
from tests.docs.prose import HELP
from workspaces import demo

README = page("README.md")
BLOCKS = re.findall(r"```(?:sh|text)\n(.*?)```", README, re.DOTALL)


def test_the_first_screen_shows_an_answer_an_installation_and_two_commands_to_develop() -> None:
    """A reader tries it, uses it and checks it without reading on."""
    answer, quick, develop, *_ = BLOCKS
    typed = [line.partition("#")[0].strip() for line in develop.strip().splitlines()]

    assert answer.startswith(f"? {demo.QUESTIONS[0]}\n")
    assert f"$ {' '.join(demo.GREP)} " in answer
    assert quick.startswith("pip install .\ncd your/repository\nggrep ")
    assert len(quick.splitlines()) == 7
    assert typed == ["python3 dev.py demo", "python3 dev.py test"]
    assert README[: README.index(develop)].count("\n") < 60
    assert len(README.splitlines()) <= 160


def test_the_answer_of_the_readme_quotes_the_packages() -> None:
    """Lines of code stand in the named file in this order."""
    path = None
    quoted = []
    for line in BLOCKS[0].splitlines():
        if hit := re.match(r"\d+\.  \[(\w+)\]  ([\w/.]+):", line):
            path = Path(demo.folder(hit[1]) or "") / hit[2]
        elif piece := re.match(r" +\d+ │ (.*)", line):
            assert path is not None
            quoted.append(piece[1] in path.read_text(encoding="utf-8").splitlines())

    assert quoted == [True] * 5


@pytest.mark.deep
def test_the_demo_prints_the_answer_of_the_readme() -> None:
    """Versions of the packages may change line numbers; the page follows them."""
    command = [sys.executable, str(ROOT / "workspaces" / "demo.py")]
    wide = {**os.environ, "COLUMNS": "120"}
    done = subprocess.run(command, env=wide, capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()

    assert [line for line in BLOCKS[0].splitlines() if line not in {"...", *printed}] == []


@pytest.mark.slow
def test_the_terminal_of_the_readme_shows_what_a_search_prints() -> None:
    """`python -m tests.docs.images` makes it."""
    shown = list(images.lines_of(images.FILE.read_text(encoding="utf-8")))

    assert shown[0] == f"$ {images.LINE}"
    assert shown == list(images.lines_of(images.image(images.output())))
    assert f"](docs/images/{images.FILE.name})" in README
    assert "](docs/images/page-search.png)" in README


def test_the_json_of_the_page_has_keys_of_the_schema() -> None:
    """People write their first script from it."""
    block = re.search(r"```json\n(.*?)```", page("docs/searching.md"), re.DOTALL)
    schema = json.loads(page("ggrep/model/schemas/query_success.schema.json"))

    assert block is not None
    assert set(json.loads(block[1])) <= set(schema["properties"])


def test_no_page_names_a_place_on_one_machine() -> None:
    """Such a path means nothing to anybody else."""
    places = re.compile(r"(?<![\w.])/(?:work|root|tmp|home|mnt|Users|var)\b")

    assert [path for path in PAGES if places.search(path.read_text(encoding="utf-8"))] == []


def test_lines_are_short_outside_tables_and_pictures() -> None:
    """Pages are read in terminals and diffs."""
    long = []
    for path in PAGES:
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        lines = [line for line in prose.splitlines() if len(line) > 105]
        long += [(path, line) for line in lines if not line.startswith("|")]

    assert long == []


def test_the_option_names_every_filter() -> None:
    """An undocumented key is not used."""
    rows = [row for section in HELP["search"].sections for row in section.rows]
    text = next(row.text for row in rows if row.term.startswith("--filter"))

    assert [key for key in FILTER_KEYS if f" {key}:" not in text] == []


_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PATH = re.compile(r"`((?:ggrep|training|tests|docs|workspaces|\.ci)/[\w./-]+)")


def anchors(path: Path) -> set[str]:
    """Return the names that headings of a page are linked by."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_link_of_the_readme_is_dead() -> None:
    """A reader who follows a link must arrive; `python3 dev.py docs` checks those of the pages."""
    dead = []
    for link in _LINK.findall(README):
        name, _, anchor = link.partition("#")
        target = ROOT / name
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)

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
        result = _LINK.findall(path.read_text(encoding="utf-8"))
        targets = [(path.parent / link.partition("#")[0]).resolve() for link in result]
        for target in targets:
            ahead += sorted(target.glob("*.md")) if target.is_dir() else []
            ahead += [target] if target.suffix == ".md" else []

    assert set(PAGES) - seen == set()

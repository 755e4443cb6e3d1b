"""The quick start and every block of the tutorials run, and print what the pages show."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, page
from tests.fakes.repos import write_tree
from tests.journeys.household import SCRIPT, Household, household

PAGES = {
    "docs/tutorials/repository.md": "checkout",
    "docs/tutorials/workspace.md": "services",
    "docs/tutorials/agent.md": "services/shop",
    "docs/tutorials/ci.md": "services/shop",
    "docs/tutorials/team.md": "services/shop",
    "docs/tutorials/server.md": "services/shop",
    "docs/operating.md#Runbook of a team server": "services/server",
    "docs/troubleshooting.md": "services/shop",
}
"""Pages in the order in which one leads to the next, each with the folder that it begins in.

The name of a section follows a page of which only this section runs.
"""
RETRY = """\
class Session:
    def commit(self): ...


def retry_policy(session: Session) -> None:
    while True:
        session.commit()
"""
MARK = "---- end of a block"


@pytest.fixture(scope="module")
def house() -> Iterator[Household]:
    """Return a home for all pages; each page has repositories of its own."""
    with household() as result:
        yield result


def steps(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of each block with the lines that the page shows below them."""
    file, _, section = name.partition("#")
    text = page(file)
    if section:
        text = text.partition(f"\n### {section}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```(sh|text)\n(.*?)```", text, re.DOTALL)
    for at, (kind, text) in enumerate(blocks):
        if kind == "sh":
            follows, shown = blocks[at + 1] if at + 1 < len(blocks) else ("", "")
            yield text, shown.splitlines() if follows == "text" else []


def run(commands: list[str], folder: Path, house: Household) -> list[str]:
    """Run blocks in one shell, which ends with the first failure; return their outputs."""
    script = "".join(f"{block}echo '{MARK}'\n" for block in commands)
    path = f"{house.base / 'bin'}:{SCRIPT.parent}:{house.environ()['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=folder,
        env=house.environ(PATH=path, COLUMNS="120"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout.split(f"{MARK}\n")[:-1]


def missing(shown: list[str], output: str) -> list[str]:
    """Return the lines of a page that an output lacks, in this order; `...` is any text."""
    lines = iter(output.splitlines())
    patterns = [
        (line, ".*".join(re.escape(part) for part in line.split("...")))
        for line in shown
        if line != "..."
    ]
    return [
        line
        for line, pattern in patterns
        if not any(re.fullmatch(pattern, each.rstrip()) for each in lines)
    ]


def damage(house: Household) -> None:
    """Cut the tables of the index of `shop`, while no daemon has them open."""
    house.run("stop-all", cwd=house.base)
    tables = list((house.home / "data").glob("shop-*/seg_*/data/*.lance"))
    assert tables
    for table in tables:
        os.truncate(table, 1)


@pytest.mark.slow
def test_the_quick_start_of_the_readme_runs(house: Household) -> None:
    """From nothing: the first search makes the index. The program is installed already."""
    write_tree(house.base / "bin", {"pip": "#!/bin/sh\n"})
    (house.base / "bin/pip").chmod(0o700)
    (house.base / "your").mkdir()
    house.repo("your/repository", {"retry.py": RETRY})
    block, _ = next(steps("README.md"))

    assert block.startswith("pip install .\ncd your/repository\nggrep ")
    assert "  session.commit()  in retry_policy" in run([block], house.base, house)[0]


@pytest.mark.slow
def test_every_block_of_the_tutorials_runs(house: Household) -> None:
    """In order, in one home, as a reader types them."""
    shutil.copytree(ROOT / "fixtures/repos", house.base / "checkout/fixtures/repos")
    for name, folder in PAGES.items():
        if name == "docs/troubleshooting.md":
            damage(house)
        commands, shown = zip(*steps(name), strict=True)
        outputs = run(list(commands), house.base / folder, house)
        for block, lines, output in zip(commands, shown, outputs, strict=True):
            assert missing(lines, output) == [], f"{name}: {block}\n{output}"


@pytest.mark.slow
def test_the_blocks_of_the_readme_and_of_the_cookbook_run(house: Household) -> None:
    """`tests/terminal_views` has the lines of `pick`, and a test of the README the demo."""
    write_tree(house.base / "bin", {"fzf": "#!/bin/sh\ncat\n"})
    (house.base / "bin/fzf").chmod(0o700)
    shutil.copytree(ROOT / "fixtures/repos/shop", house.base / "plain")
    write_tree(house.base / "plain", {".gitignore": "retry.json\n"})  # its receipt is no news
    house.index(house.base / "plain")
    blocks = [block for name in ("README.md", "docs/cookbook.md") for block, _ in steps(name)]
    quick, develop, *others = blocks

    assert quick.startswith("pip install")
    assert develop.startswith("python3 dev.py demo")
    lines = [line for block in others for line in block.splitlines() if " pick" not in line]
    assert len(lines) == 8
    outputs = run([f"{line}\n" for line in lines], house.base / "plain", house)
    assert [line for line, output in zip(lines, outputs, strict=True) if not output] == []


def test_a_line_that_is_not_printed_is_missed() -> None:
    assert missing(["a", "...", "b... d", "e"], "a\nx\nb c d\ne\n") == []
    assert missing(["a", "b"], "b\na\n") == ["b"]
    assert missing(["a"], "ab\n") == ["a"]


def test_all_tutorials_are_run() -> None:
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs/tutorials").iterdir()}

    assert pages < set(PAGES)

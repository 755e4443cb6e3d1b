"""Makes the benchmark of changes.

    python -m training.changes mine HISTORIES --exclusions FILE            writes changes.jsonl anew
    python -m training.changes build HISTORIES FOLDER --exclusions FILE    the folder that it names
    python -m training.changes ask HISTORIES FOLDER    such a folder of questions as people ask them

HISTORIES holds `OWNER+NAME/repo`, a git directory with its history each. The exclusions name
projects that evaluation needs unseen; without them nothing is done.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ggrep.base.errors import UsageError
from training.changes.asked_questions import build_asked
from training.changes.building import build
from training.changes.listing import LIST, Listed, mined, parted, read_list, write_list
from training.encoder.packages import read_exclusions


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one step; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.changes")
    steps = parser.add_subparsers(dest="step", required=True)
    mine_step, build_step = steps.add_parser("mine"), steps.add_parser("build")
    for step in (mine_step, build_step):
        step.add_argument("histories", type=Path)
        step.add_argument("--exclusions", type=Path, required=True)
    ask_step = steps.add_parser("ask")
    ask_step.add_argument("histories", type=Path)
    for step in (build_step, ask_step):
        step.add_argument("folder", type=Path)
    said = parser.parse_args(arguments)
    try:
        if said.step == "ask":
            build_asked(said.histories, said.folder, _tell)
            return 0
        exclusions = _exclusions(said.exclusions)
        if said.step == "mine":
            _mine(said.histories, exclusions)
        else:
            build(read_list(), said.histories, said.folder, exclusions, _tell)
    except UsageError as error:
        _tell(str(error))
        return error.exit_status
    return 0


def _exclusions(path: Path) -> frozenset[str]:
    names = read_exclusions(path)
    if not names:
        raise UsageError(f"{path}: no names")
    return names


def _mine(histories: Path, exclusions: frozenset[str]) -> None:
    repos = sorted(path.parent for path in histories.glob("*+*/repo"))
    names = [repo.name.replace("+", "/", 1) for repo in repos]
    with ThreadPoolExecutor(2) as pool:
        give = partial(mined, exclusions=exclusions)
        given = list(pool.map(give, names, [repo / "repo" for repo in repos]))
    found = []
    for name, each in zip(names, given, strict=True):
        if isinstance(each, Listed):
            found.append(each)
        else:
            _tell(f"{name}: {each}")
    listed = parted(found)
    LIST.write_text(write_list(listed), encoding="utf-8")
    for part, count in sorted(Counter(each.part for each in listed).items()):
        asked = sum(len(each.commits) for each in listed if each.part == part)
        _tell(f"{part}: {count} repositories, {asked} questions")
    for language, count in Counter(each.language for each in listed).most_common():
        _tell(f"{language}: {count}")


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    raise SystemExit(main())

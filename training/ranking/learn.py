"""Learns the ranking's correction.

    python -m training.ranking.learn build HISTORIES KIT FOLDER --exclusions FILE
    python -m training.ranking.learn fit KIT FOLDER

KIT is what `training.changes build` wrote of the same histories; FOLDER takes further questions,
and keeps the indexes. `fit` writes the trees into the package. Only repositories to learn from are
asked. `fit` needs the package lightgbm, which `python3 dev.py setup ranking` installs.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.suite import Case, read_kit
from training.changes.building import WHOLE
from training.changes.listing import read_list
from training.encoder.packages import read_exclusions
from training.ranking.forest import fit, require_lightgbm
from training.ranking.lists import Listed, lists_of, shortened
from training.ranking.material import DOCS, EARLIER, build_material

TREES = Path(__file__).parents[2] / "ggrep" / "search" / "query" / "ranking_trees.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one step; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.learn")
    steps = parser.add_subparsers(dest="step", required=True)
    build, learn = steps.add_parser("build"), steps.add_parser("fit")
    build.add_argument("histories", type=Path)
    for step in (build, learn):
        step.add_argument("kit", type=Path)
        step.add_argument("folder", type=Path)
    build.add_argument("--exclusions", type=Path, required=True)
    learn.add_argument("--to", type=Path, default=TREES)
    said = parser.parse_args(arguments)
    try:
        if said.step == "build":
            exclusions = read_exclusions(said.exclusions)
            build_material(read_list(), said.histories, said.kit, said.folder, exclusions, _tell)
        else:
            require_lightgbm()
            said.to.write_bytes(_line_by_line(fit(_lists(said.kit, said.folder))))
    except UsageError as error:
        _tell(str(error))
        return error.exit_status
    return 0


def _lists(kit: Path, folder: Path) -> list[Listed]:
    """Return the lists of all questions to learn from."""
    home = Path(os.environ.setdefault("GGREP_HOME", str(folder / ".ggrep-home")))  # noqa: TID251 - a program of its own
    found: list[Listed] = []
    asked: list[Case] = []
    for place in (kit, folder / EARLIER, folder / DOCS):
        parts = stable_json.loads((place / "repos.json").read_bytes())
        cases = read_kit(place, federated=False).cases
        asked += (own := [each for each in cases if parts[each.repo]["part"] == "fit"])
        found += lists_of(own, home)
        _tell(f"{place.name}: {len(found)} lists")
    spoken = [each for each in asked if not each.category.startswith(WHOLE)]
    found += lists_of([each for each in map(shortened, spoken) if each is not None], home)
    _tell(f"with short questions: {len(found)} lists")
    return found


def _line_by_line(said: dict[str, object]) -> bytes:
    """Return the content as JSON, a line for each tree."""
    trees = said["trees"]
    assert isinstance(trees, list)  # noqa: S101 - as `fit` says
    head = {name: value for name, value in said.items() if name != "trees"}
    opening = stable_json.dumps(head).removesuffix(b"}")
    lines = b",\n".join(stable_json.dumps(tree) for tree in trees)
    return opening + b',"trees":[\n' + lines + b"\n]}\n"


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    raise SystemExit(main())

"""Makes the static encoder's model: the pairs that it is trained with, in three steps, then it.

    python -m training.encoder fetch FOLDER --exclusions FILE     into FOLDER/archives
    python -m training.encoder unpack FOLDER --exclusions FILE    into FOLDER/sources
    python -m training.encoder mine FOLDER --exclusions FILE [--keep-clear FOLDER]...
                                                                           into FOLDER/pairs
    python -m training.encoder train FOLDER MODEL                 from FOLDER/pairs

The exclusions name projects that evaluation needs unseen; without them nothing is done. Registries
drop old versions: a package that cannot be had is told and left out, unless `--strict` is given.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ggrep.base.errors import UsageError
from training.encoder.corpus import Done, fetch_all, read_corpus, strays, unpack_all
from training.encoder.mine import mine
from training.encoder.packages import Package, read_exclusions


def main(arguments: Sequence[str] | None = None) -> int:
    """Do one step, say what came of it and return the exit status."""
    said = _parser().parse_args(arguments)
    try:
        if said.step == "train":
            from training.encoder.train import train_model

            train_model(said.folder, said.model, said.jobs, _tell)
            return 0
        exclusions = _exclusions(said.exclusions)
        packages = read_corpus(exclusions)
        match said.step:
            case "fetch":
                return _told(fetch_all(packages, said.folder, _tell), strict=said.strict)
            case "unpack":
                done = unpack_all(packages, said.folder, exclusions, _tell)
                return _told(done, strict=said.strict)
            case _:
                return _mine(packages, said.folder, said.keep_clear, said.jobs)
    except UsageError as error:
        _tell(str(error))
        return error.exit_status


def _exclusions(path: Path) -> frozenset[str]:
    names = read_exclusions(path)
    if not names:
        raise UsageError(f"{path}: no names")
    return names


def _mine(packages: tuple[Package, ...], folder: Path, keep_clear: list[Path], jobs: int) -> int:
    for missing in [each for each in (folder / "sources", *keep_clear) if not each.is_dir()]:
        raise UsageError(f"{missing}: not a folder")
    for stray in strays(packages, folder):
        raise UsageError(f"{stray}: of no package on the lists; unpack again")
    report = mine(folder / "sources", folder / "pairs", keep_clear, jobs)
    sys.stdout.write(f"{report}\n")
    return 0


def _told(done: Done, *, strict: bool) -> int:
    files = f", {done.files} files" if done.files else ""
    sys.stdout.write(f"{done.packages} packages{files}; {done.left_out} left out\n")
    return int(strict and done.left_out > 0)


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.encoder")
    steps = parser.add_subparsers(dest="step", required=True)
    for name, does in (
        ("fetch", "get the archives"),
        ("unpack", "write their sources"),
        ("mine", "find the pairs"),
    ):
        step = steps.add_parser(name, help=does)
        step.add_argument("folder", type=Path)
        step.add_argument(
            "--exclusions", type=Path, required=True, help="names of projects to be kept out"
        )
        if name == "mine":
            step.add_argument("--keep-clear", type=Path, action="append", default=[])
            step.add_argument("--jobs", type=int, default=1)
        else:
            step.add_argument("--strict", action="store_true", help="fail when one is left out")
    train = steps.add_parser("train", help="learn from the pairs")
    train.add_argument("folder", type=Path)
    train.add_argument("model", type=Path, help="folder that the model is written to")
    train.add_argument("--jobs", type=int, default=2)
    return parser


if __name__ == "__main__":
    sys.exit(main())

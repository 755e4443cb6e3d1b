"""The tables of docs/quality.md, measured on a benchmark folder.

    python3 dev.py quality FOLDER               print them
    python3 dev.py quality FOLDER --write       and put them into docs/quality.md
    python3 dev.py quality FOLDER --federated   workspaces as well, which takes longer
    python3 dev.py quality FOLDER --confidence  only how often answers are doubted
        [--people ASKED]                        and those of `python -m training.changes ask`
    python3 dev.py quality FOLDER --encoders    only what the encoders are worth
        [--pairs FOLDER]                        and, with those it was trained with, fewer of them
    python3 dev.py quality --slates FOLDER      only slates, of repositories fetched into a folder;
        [--developed] [--missed]                see training/slates/measuring.py
    python3 dev.py quality --places FOLDER      only which places slates show, likewise
        [--developed] [--missed]                see training/slates/visible.py
    python3 dev.py quality --changes FOLDER     only commits as questions, of the folder that
        [--part fit|choose|judge]               `python -m training.changes build` writes
    python3 dev.py quality --passages FOLDER    only how often hits show the lines that answer,
                                                beside other rankers
    python3 dev.py quality FOLDER --jobs N      processes at once, 2 unless said

The shipped encoder takes part, but for workspaces, where none does; others in their own tables, the
untrained one where the extra `deep` is. Indexes lie in GGREP_HOME, else in the folder, and are used
again.
Nothing measured depends on the machine: equal sources give equal tables.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench import changes, confidence, encoder_quality, passages, place_tables, slate_tables
from bench import federated as workspaces
from bench import quality_tables as tables
from ggrep.base.stable_json import Json
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.federation.workspace_draft import GLOBAL, RRF
from ggrep.interfaces.evaluation.compare import compare
from ggrep.interfaces.evaluation.report import Run, queries_json, scored_run
from ggrep.interfaces.evaluation.suite import Overrides, Suite, jobs_of, overridden, read_kit
from ggrep.interfaces.evaluation.suite_processes import (
    Conditions,
    JobResult,
    in_a_process,
    run_jobs,
)
from ggrep.model.evaluation import Comparison
from ggrep.search.engine.engine import Engine
from training.ablation import ABLATIONS, ablated
from training.changes.listing import PARTS
from training.confidence.asking import SHIPPED as SHIPPED_ENCODER
from training.quality_page import PAGE, put
from training.slates.measuring import measure, missed
from training.slates.visible import ask_places, hidden

UNION = "one store"
QUALITY, FEDERATED = "quality", "federated"
CONFIDENCE, PEOPLE = "confidence", "people"
ENCODERS, SLATES, PLACES, CHANGES = "encoders", "slates", "places", "changes"
PASSAGES = "passages"
WITH_SHIPPED = {"encoder": SHIPPED_ENCODER}
SHIPPED = Conditions(encoder=SHIPPED_ENCODER)
WITHOUT_ENCODER = Conditions(encoder="none")
DEFAULT_ANSWER = Overrides(limit=10, per_file=3)
ONE_PER_FILE = Overrides(limit=10, per_file=1)
LEVEL = next(each for each in ABLATIONS if "further" in each.weights)


class Bench(Struct, frozen=True):
    """Where and how fast the suites are run."""

    folder: Path
    jobs: int

    def run(self, suite: Suite, conditions: Conditions, what: str) -> Run:
        """Return the scored suite; what failed ends the measurement."""
        done = 0

        def tell(outcome: JobResult) -> None:
            nonlocal done
            done += 1
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{what}: {done} {outcome.job.name:<24}")
            failed = [each.error for each in outcome.answers if each.error]
            if outcome.error or failed:
                raise SystemExit(f"\n{outcome.job.name}: {outcome.error or failed[0]}")

        ask = partial(in_a_process, conditions=conditions)
        outcomes = run_jobs(jobs_of(suite.cases), ask, at_once=self.jobs, done=tell)
        sys.stderr.write("\n" if sys.stderr.isatty() else f"{what}: done\n")
        return scored_run(suite, outcomes)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and write when told to."""
    given = parsed(arguments)
    folder = given.folder.resolve()
    if given.slates:
        return measure_slates(folder, given)
    if given.places:
        return measure_places(folder, given)
    os.environ.setdefault("GGREP_HOME", str(folder / ".ggrep-home"))
    if given.passages:
        text = passages.measured(folder, Path(os.environ["GGREP_HOME"]))
        tell({f"{PASSAGES} {folder.name}": text}, write=given.write)
        return 0
    bench = Bench(folder, given.jobs)
    if given.changes or given.encoders:
        name = CHANGES if given.changes else ENCODERS
        text = (
            measured_changes(bench, given.part) if given.changes else encoders(bench, given.pairs)
        )
        tell({name: text}, write=given.write)
        return 0
    asked = confidence.ask(folder, Path(os.environ["GGREP_HOME"]))
    sections = {CONFIDENCE: confidence.table(asked)}
    if given.people:
        home = Path(os.environ["GGREP_HOME"])
        sections[PEOPLE] = confidence.people_table(given.people.resolve(), home)
    if not given.confidence:
        sections[QUALITY] = single(bench)
    if given.federated:
        sections[FEDERATED] = federated(bench)
    tell(sections, write=given.write)
    return 0


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what is to be measured."""
    parser = argparse.ArgumentParser(prog="dev.py quality")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--federated", action="store_true")
    parser.add_argument("--confidence", action="store_true")
    parser.add_argument("--people", type=Path)
    parser.add_argument("--encoders", action="store_true")
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--slates", action="store_true")
    parser.add_argument("--places", action="store_true")
    parser.add_argument("--developed", action="store_true")
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--passages", action="store_true")
    parser.add_argument("--part", choices=PARTS, default="judge")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(arguments)


def tell(sections: Mapping[str, str], *, write: bool) -> None:
    """Print the sections, and put them into the page when told to."""
    for name, text in sections.items():
        sys.stdout.write(text + "\n")
        if write:
            put(PAGE, name, text)


def measure_slates(folder: Path, given: argparse.Namespace) -> int:
    """Print the tables of slates; the page gets them only with the repositories held out."""
    if given.write and given.developed:
        raise SystemExit("--developed: the page has the repositories held out too")
    developed = measure(folder, held_out=False)
    held_out = None if given.developed else measure(folder, held_out=True)
    if given.missed:
        sys.stdout.write("".join(f"{line}\n" for line in missed(developed.answers)))
    text = slate_tables.slates(developed, held_out)
    tell({SLATES: text}, write=given.write)
    return 0


def measure_places(folder: Path, given: argparse.Namespace) -> int:
    """Print which places slates show; the page gets them only with the repositories held out."""
    if given.write and given.developed:
        raise SystemExit("--developed: the page has the repositories held out too")
    developed = ask_places(folder, held_out=False)
    held_out = () if given.developed else ask_places(folder, held_out=True)
    if given.missed:
        sys.stdout.write("".join(f"{line}\n" for line in hidden(developed)))
    tell({PLACES: place_tables.places(developed, held_out)}, write=given.write)
    return 0


def encoders(bench: Bench, pairs: Path | None) -> str:
    """Return the tables of encoders; with fewer pairs where the pairs are given."""
    suite = read_kit(bench.folder, federated=False)

    def ask(setting: str) -> Run:
        return bench.run(suite, Conditions(encoder=setting), f"encoder {setting}")

    measured = encoder_quality.Encoders(suite, ask, Path(os.environ["GGREP_HOME"]))
    return encoder_quality.measure(measured, pairs, PAGE.read_text(encoding="utf-8"))


def measured_changes(bench: Bench, part: str) -> str:
    """Return the tables of commits as questions, to the repositories of one part."""
    suite = changes.read_changes(bench.folder, part)
    shipped = bench.run(suite, SHIPPED, "with vectors")
    rows = {changes.WITHOUT: bench.run(suite, WITHOUT_ENCODER, "without vectors")}
    table = changes.table(shipped, {**rows, **changes.others(suite)}, part)
    return "\n".join([table, changes.languages(shipped)])


def single(bench: Bench) -> str:
    """Return the tables of questions to one repository."""
    suite = read_kit(bench.folder, federated=False)
    full = bench.run(suite, SHIPPED, "ranking")

    def ask(suite: Suite, weights: Mapping[str, Json]) -> Run:
        return bench.run(suite, replace(SHIPPED, sync=False, weights=weights), f"with {weights}")

    parts = ablated(full, partial(ask, suite))
    all_of_it = read_kit(bench.folder, federated=False, whole=True)
    whole = bench.run(all_of_it, SHIPPED, "all sources")
    shown = overridden(suite, DEFAULT_ANSWER)
    three = bench.run(shown, SHIPPED, "three of a file")
    (undecayed,) = ablated(three, partial(ask, shown), (LEVEL,))
    one = bench.run(overridden(suite, ONE_PER_FILE), SHIPPED, "one of a file")
    return "\n".join(
        [
            tables.ranking(full),
            tables.ablations(parts),
            tables.whole_sources(
                full, whole, changed(full, whole), [sizes(suite), sizes(all_of_it)]
            ),
            tables.per_file(three, one, changed(three, one), undecayed),
        ]
    )


def sizes(suite: Suite) -> tuple[int, int]:
    """Return how many files and chunks the indexes of a suite's repositories hold."""
    home = Home(Path(os.environ["GGREP_HOME"]))
    files = chunks = 0
    for path in sorted({case.target.path for case in suite.cases}):
        root = canonical_root(path, enclosing=False)
        counts = Engine(root, home, environ=os.environ, flags=WITH_SHIPPED).view().manifest.counts
        files += counts.files_indexed
        chunks += counts.chunks_visible
    return files, chunks


def federated(bench: Bench) -> str:
    """Return the tables of workspaces: by how they are merged, and with fewer repositories."""
    suite = read_kit(bench.folder, federated=True)
    runs = {
        merge: bench.run(suite, replace(WITHOUT_ENCODER, merge=merge), merge)
        for merge in (GLOBAL, RRF)
    }
    union = workspaces.union_run(suite)
    usual = runs[GLOBAL]
    changes = {RRF: changed(usual, runs[RRF]), UNION: changed(usual, union)}
    routed = workspaces.measured(workspaces.ask(suite))
    return "\n".join(
        [
            tables.strategies({**runs, UNION: union}, changes),
            tables.workspaces({**runs, UNION: union}),
            tables.routed(routed, len(suite.cases)),
        ]
    )


def changed(before: Run, after: Run) -> Comparison:
    """Return the differences query by query."""
    return compare({"queries": queries_json(before)}, {"queries": queries_json(after)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

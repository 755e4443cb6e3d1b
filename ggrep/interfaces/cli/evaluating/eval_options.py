"""The options of `ggrep eval`."""

from pathlib import Path
from typing import Annotated, ClassVar, Final

from msgspec import Struct

from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.federation.strategies import STRATEGIES
from ggrep.interfaces.cli.parsing.flags import EncoderFlag, Flag, either
from ggrep.interfaces.cli.queries.search_options import DeterministicFlag
from ggrep.model.corpus import Mode

_MODES: Final = tuple(mode.value for mode in Mode)


class Cases(Struct, frozen=True):
    """Which cases of the suite are run."""

    title: ClassVar = "Cases"

    task: Annotated[
        str,
        Flag(
            "--task",
            "Run the single or the federated cases of a suite folder.",
            words=("single", "federated"),
        ),
    ] = "single"
    whole: Annotated[
        bool, Flag("--whole", "Search all files of a suite folder, also tests and documents.")
    ] = False
    only: Annotated[tuple[str, ...], Flag("--only", "Run only this case; repeatable.")] = ()
    repos: Annotated[
        tuple[str, ...], Flag("--repo", "Run only cases of this repo; repeatable.")
    ] = ()
    languages: Annotated[
        tuple[str, ...], Flag("--language", "Run only cases in this language; repeatable.")
    ] = ()
    categories: Annotated[
        tuple[str, ...], Flag("--category", "Run only cases of this category; repeatable.")
    ] = ()
    workspaces: Annotated[
        tuple[str, ...],
        Flag("--workspace", "Run only cases that search this workspace; repeatable."),
    ] = ()


class Questions(Struct, frozen=True):
    """How every question is asked; None keeps the question's own value."""

    title: ClassVar = "Questions"

    mode: Annotated[
        str | None,
        Flag("--mode", f"Search with this intent: {either(_MODES)}.", words=_MODES),
    ] = None
    limit: Annotated[
        int | None, Flag("-k --max", "Request this many hits.", least=1, most=MAX_QUERY_RESULTS)
    ] = None
    per_file: Annotated[
        int | None, Flag("--per-file", "Most hits per file.", least=0, most=MAX_QUERY_PER_FILE)
    ] = None
    max_bytes: Annotated[
        tuple[int, ...],
        Flag("--max-bytes", "Ask cases with places for a slate of this many bytes; repeatable."),
    ] = ()
    merge: Annotated[
        str | None,
        Flag("--merge", f"Merge workspace results by: {either(STRATEGIES)}.", words=STRATEGIES),
    ] = None
    encoder: EncoderFlag = None
    weights: Annotated[
        Path | None, Flag("--weights", "Rank with the weights of this JSON file.")
    ] = None


class Running(Struct, frozen=True):
    """How the cases are run."""

    title: ClassVar = "Running"

    sync: Annotated[bool, Flag("--no-sync", "Query the indexes as they are, without a sync.")] = (
        True
    )
    jobs: Annotated[int, Flag("--jobs", "Run this many processes in parallel.", least=1)] = 1
    timeout_s: Annotated[
        float,
        Flag("--timeout-s", "Kill a process after this many seconds, sync included.", least=0.1),
    ] = 3600.0


class Demands(Struct, frozen=True):
    """Lower bounds of the metrics, from 0 to 1."""

    title: ClassVar = "Bounds"

    baseline: Annotated[Path | None, Flag("--baseline", "Compare with this earlier report.")] = None
    max_drop_ndcg: Annotated[
        float, Flag("--max-drop-ndcg", "Largest allowed drop of NDCG@10 below the baseline.")
    ] = 0.0
    max_drop_mrr: Annotated[
        float, Flag("--max-drop-mrr", "Largest allowed drop of MRR@10 below the baseline.")
    ] = 0.0
    max_drop_pass_rate: Annotated[
        float,
        Flag("--max-drop-pass-rate", "Largest allowed drop of the pass rate below the baseline."),
    ] = 0.0
    fail_under_ndcg: Annotated[
        float | None, Flag("--fail-under-ndcg", "Fail when NDCG@10 is lower.")
    ] = None
    fail_under_mrr: Annotated[
        float | None, Flag("--fail-under-mrr", "Fail when MRR@10 is lower.")
    ] = None
    fail_under_pass_rate: Annotated[
        float | None,
        Flag("--fail-under-pass-rate", "Fail when the share of passing cases is lower."),
    ] = None


class Report(Struct, frozen=True):
    """Where the report goes, and what it is compared with."""

    title: ClassVar = "Report"

    out: Annotated[Path | None, Flag("--out", "Write the report here.")] = None
    deterministic: DeterministicFlag = False
    compare: Annotated[
        tuple[Path, Path] | None,
        Flag("--compare", "Compare two reports, earlier and later; run nothing."),
    ] = None

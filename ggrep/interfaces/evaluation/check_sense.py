"""The expectations of a check; those that can never pass or never fail are refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from ggrep.interfaces.evaluation.expected_paths import is_glob
from ggrep.interfaces.evaluation.toml_file import Table


@dataclass(frozen=True, slots=True)
class Expected:
    """What must come; paths are plain or globs, ranks those of distinct files.

    Attributes:
        any_paths: one of these.
        all_paths: each of these.
        no_paths: none of these.
        first: this before all others.
        within: each of these among so many first files.
        order: each of these before the next.
        section: of the best hit in an expected file, else of the first hit.
        symbol: some hit defines this name.
        min_hits: at least so many hits.
    """

    any_paths: tuple[str, ...] = ()
    all_paths: tuple[str, ...] = ()
    no_paths: tuple[str, ...] = ()
    first: str = ""
    within: tuple[tuple[str, int], ...] = ()
    order: tuple[str, ...] = ()
    section: str = ""
    symbol: str = ""
    confidence: str = ""
    min_hits: int = 0


def refuse_idle(table: Table, expected: Expected, limit: int) -> None:
    """Do nothing when what is expected of `limit` hits may hold and may fail.

    Raises:
        UsageError: some of it never can; the key is named with its line.
    """
    for key, fault in chain(_too_many(expected, limit), _contradictions(expected)):
        table.fail(f"{key}: {fault}", key)


def _too_many(expected: Expected, limit: int) -> Iterator[tuple[str, str]]:
    for path, most in expected.within:
        if most > limit:
            yield "expect_within", f"{path!r} at {most} lies behind the limit of {limit} hits"
    if expected.min_hits > limit:
        yield "expect_min_hits", f"{expected.min_hits} are more than the limit of {limit} hits"
    plain = {path for path in expected.all_paths if not is_glob(path)}
    if len(plain) > limit:
        yield "expect_all", f"{len(plain)} files are more than the limit of {limit} hits"


def _contradictions(expected: Expected) -> Iterator[tuple[str, str]]:
    for path in expected.order:
        if expected.order.count(path) > 1:
            yield "expect_order", f"{path!r} stands twice"
    wanted = {
        "expect_any": expected.any_paths,
        "expect_all": expected.all_paths,
        "expect_first": (expected.first,),
        "expect_within": tuple(dict(expected.within)),
        "expect_order": expected.order,
    }
    for key, paths in wanted.items():
        for path in paths:
            if path in expected.no_paths:
                yield "expect_none", f"{path!r} stands in {key} too"

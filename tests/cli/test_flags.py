"""Options and what they take from the requests whose fields they set."""

import inspect
from typing import Annotated, ClassVar

import pytest
from msgspec import Struct

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.parsing.flags import (
    Flag,
    Option,
    Switch,
    help_of,
    option_of,
    options_of,
    said,
    typed_flags,
)
from ggrep.interfaces.cli.parsing.parameters import Piece, pieces_of
from ggrep.interfaces.cli.parsing.tree import EVERY
from ggrep.interfaces.cli.queries.query_options import MergeOptions
from ggrep.interfaces.cli.queries.search_options import (
    DeterministicFlag,
    HitOptions,
    IndexOptions,
    QueryOptions,
)
from ggrep.model.request import SearchRequest

OWN = {
    *("compact", "counts", "encoder", "files", "form", "inside", "offline", "profile", "repo"),
    *("scores", "strict_sync", "sync", "yes"),
}
"""Options that set no field, in groups of options that do."""


class Group(Struct, frozen=True):
    """Some options."""

    title: ClassVar = "Some"
    of: ClassVar = (SearchRequest,)

    per_file: Annotated[int | None, Flag("--per-file")] = None
    limit: Annotated[int | None, Flag("-m --max", judged=True)] = None
    find: Annotated[str | None, Flag("--find", "Look for it as")] = None
    vectors: Annotated[bool | None, Flag("--no-vectors")] = None
    explain: Annotated[bool, Flag("--explain")] = False
    own: Annotated[tuple[str, ...], Flag("--own", "An option of its own.")] = ()


def option(name: str) -> Option:
    """Return an option of the group."""
    return next(each for each in options_of(Group) if each.name == name)


def test_help_words_and_default_are_those_of_the_request() -> None:
    """Said a second time they would fall behind."""
    assert help_of(option("per_file")) == "Most hits per file; 0 for no limit. [default: 3]"
    assert help_of(option("find")).startswith("Look for it as: auto, definition, usage, ")
    assert help_of(option("find")).endswith(" or similar-code. [default: auto]")
    assert help_of(option("explain")) == "Add an explanation of each score."
    assert help_of(option("own")) == "An option of its own."


def test_what_was_not_typed_is_left_to_the_request() -> None:
    """A default of the command line's own could be another one."""
    assert said(SearchRequest, Group()) == {}
    assert said(SearchRequest, Group(per_file=3, vectors=False)) == {
        "per_file": 3,
        "vectors": False,
    }


def test_a_number_below_the_least_of_its_field_is_refused_by_its_flag() -> None:
    """Whoever typed it knows the flag, not the field."""
    with pytest.raises(InvalidRequest, match="-m: 0 is less than 1"):
        said(SearchRequest, Group(limit=0))


def test_flags_that_say_what_holds_anyhow_are_not_named() -> None:
    """They may stand in an alias, and without effect they mislead nobody."""
    assert typed_flags(Group(per_file=3, own=("a",), explain=True)) == ["--explain", "--own"]
    assert typed_flags(MergeOptions(concurrency=4, fold=False)) == ["--fold"]
    with pytest.raises(UsageError, match="--only, --fold: only with --workspace"):
        MergeOptions(only=("api",), fold=True).refuse_without_file()


def test_the_options_that_set_no_field_of_a_request_are_known() -> None:
    """A slip in a name would be an option without effect."""
    groups = {
        each.annotation
        for entry in EVERY.values()
        for each in inspect.signature(entry.load()).parameters.values()
        if hasattr(each.annotation, "of")
    }
    own = {option.name for group in groups for option in options_of(group) if option.of is None}

    assert own == OWN


def every_piece() -> list[Piece]:
    """Return what all commands take."""
    entries = EVERY.values()
    return [piece for entry in entries for piece in pieces_of(entry.load()) or ()]


@pytest.mark.parametrize(
    "flag", ["--deterministic", "--encoder", "--profile", "--yes", "--plain", "--timeout-ms"]
)
def test_an_option_of_several_commands_is_declared_once(flag: str) -> None:
    """It means the same in each, so the help pages say the same."""
    held = [piece.says.flag for piece in every_piece() if flag in piece.names and _is_option(piece)]

    assert len(held) > 3
    assert all(each is held[0] for each in held)


def _is_option(piece: Piece) -> bool:
    return isinstance(piece.says, Option)


def test_the_one_declaration_is_the_one_of_the_groups() -> None:
    """Or the test above would hold of nothing."""
    own = option_of("deterministic", DeterministicFlag, default=False)

    assert own is not None
    assert own.flag in [each.flag for each in options_of(IndexOptions)]


def test_a_switch_is_a_word_of_its_option() -> None:
    """`-d` is `--mode discovery`."""
    mode = next(each for each in options_of(QueryOptions) if each.name == "mode")
    snippet = next(each for each in options_of(HitOptions) if each.name == "snippet")

    assert Switch("-d --discovery", "discovery", "Intent: a broad overview.") in mode.flag.switches
    assert snippet.flag.shown == "--content"

"""The fast path's reading of the flags agrees with the command line's."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from typer.main import get_command

from ggrep.base import stable_json
from ggrep.interfaces.cli.parsing.flags import options_of
from ggrep.interfaces.cli.parsing.typer_tree import parser
from ggrep.interfaces.cli.queries import one_search, search, search_options
from ggrep.interfaces.cli.queries.search_options import Asking, Hits, Kept, Question, Typed
from ggrep.interfaces.entry import plain
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Mode
from ggrep.model.request import SearchRequest, SnippetMode

COMMAND = get_command(parser())
WORDS = (("word",), ("two words",), ("café",), ("a=b",), ("search",), ("5",))
FLAGS = (
    *((flag,) for flag in plain.SWITCHES),
    *((flag, "6") for flag in ("-m", "--max", "--top", "--per-file", "--timeout-ms")),
    *(("--mode", mode.value) for mode in Mode),
    *(("--corpus", word) for word in (*CORPUS_WORDS, "all")),
    *(("--filter", text) for text in ("lang:c", "-lang:c", "!path: a:b ", " kind : class")),
    *(("-m5",), ("--top=7",), ("--mode=debug",), ("--corpus=code",), ("--filter=-test:true",)),
)
"""Parts of an argument list that mean something; many lists of these are plain searches."""

ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "-m 5",
        "-m=5",
        "-m0",
        "--max=",
        "--max=-1",
        "-dn",
        "-d1",
        "-x",
        "--debu",
    ),
    *(
        "--mode=code",
        "--mode=",
        "--corpus=x",
        "--filter=x",
        "--timeout-ms=\u0661",
        "--per-file=1_0",
    ),
    *("--json=1", "--compact=", "--mode", "--corpus", "--filter", "-m", "+3", " 4", "99999999999"),
    *("--sync", "--backend", "--repo", "--workspace", "--stats", "--nosuch"),
)
LISTS = (
    st.tuples(
        st.lists(st.sampled_from(FLAGS), max_size=4),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=2),
    )
    .flatmap(lambda parts: st.permutations([*parts[0], *parts[1]]))
    .map(lambda groups: [token for group in groups for token in group])
)
ODD_LISTS = st.tuples(LISTS, st.sampled_from(ODD), st.integers(0, 8)).map(
    lambda parts: [*parts[0][: parts[2]], parts[1], *parts[0][parts[2] :]]
)


class _Seen(Exception):
    """Carries the flags out of the command line, and the scope."""


def _typed_request(arguments: list[str]) -> tuple[object, object]:
    """Return the request that the command line makes of the arguments after `search`, and what
    it prints, and how.
    """  # noqa: D205 - one thought
    with pytest.MonkeyPatch.context() as patch:

        def seen(_: object, typed: Any, scope: str) -> None:
            request = search_options.request_of(typed, scope=scope)
            raise _Seen(stable_json.plain(request), _in_order(typed))

        patch.setattr(search, "search_one", seen)
        patch.setattr(search, "place_asked", lambda _, typed: f"below {list(typed.paths)}")
        try:
            COMMAND.main(["search", *arguments], standalone_mode=False)
        except _Seen as found:
            return found.args[0], found.args[1]
    raise AssertionError("no search was made")


def _plain_request(arguments: list[str]) -> tuple[object, object]:
    """Return what the console script asks a daemon, and what it goes on with where none runs."""
    typed = plain.read(arguments)
    paths = [] if typed.path is None else [typed.path]
    request = plain.request_of(typed, f"below {paths}")
    given = one_search.given_of(typed.words, typed.switches, typed.values)
    return request, _in_order(replace(given, paths=paths))


def _in_order(typed: Typed) -> Typed:
    """Return what was typed without the order of flags that have none."""
    question = replace(typed.question, mode=tuple(sorted(set(typed.question.mode))))
    hits = replace(typed.hits, snippet=tuple(sorted(set(typed.hits.snippet))))
    return replace(typed, question=question, hits=hits, paths=list(typed.paths))


@pytest.mark.slow
@settings(max_examples=800, deadline=None)
@given(LISTS | ODD_LISTS)
def test_what_is_taken_is_read_as_the_command_line_reads_it(arguments: list[str]) -> None:
    """Whether a daemon runs must not change what is asked. All else may be refused."""
    try:
        request = _plain_request(arguments)
    except ValueError:
        return
    assert request == _typed_request(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["words"],
        ["words", "src"],
        ["-m", "5", "words"],
        ["-m5", "words"],
        ["words", "--top=7", "--per-file", "0"],
        ["--mode", "planning", "words"],
        ["--mode=debug", "-b", "words"],
        ["-d", "words"],
        ["--content", "-n", "words"],
        ["-s", "--long-snippet", "words"],
        ["--corpus", "records", "--corpus", "code", "words"],
        ["--corpus", "all", "--corpus", "code", "words"],
        ["--filter", "-lang:python", "--filter=!path: src ", "words"],
        ["--anchors", "--explain", "--keep-weak", "--deterministic", "words"],
        ["--compact", "--scores", "--json", "--plain", "--exit-status", "words"],
        ["--timeout-ms", "900", "words"],
        ["--", "words"],
        ["-n", "--", "--showlocals", "src"],
        ["--", "--", "-m"],
    ],
)
def test_the_usual_searches_are_taken(arguments: list[str]) -> None:
    """Each of them falls back to seconds of imports otherwise, and nothing would say so."""
    assert _plain_request(arguments) == _typed_request(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [""],
        ["  "],
        ["words", ""],
        ["a", "b", "c"],
        ["--", "--json"],
        ["--", "--plain", "src"],
        ["--"],
        ["-dn", "words"],
        ["-m", "5", "--top", "5", "words"],
        ["-m", "0", "words"],
        ["-m", "five", "words"],
        ["-m"],
        ["--mode", "code", "words"],
        ["-d", "-i", "words"],
        ["--corpus", "all", "--corpus", "nosuch", "words"],
        ["--filter", "nosuch", "words"],
        ["--timeout-ms", "-1", "words"],
        ["--json=1", "words"],
        ["--sync", "words"],
        ["--find", "usage", "words"],
        ["--no-vectors", "words"],
        ["--repo", ".", "words"],
        ["--help"],
    ],
)
def test_whatever_gives_cause_to_doubt_is_refused(arguments: list[str]) -> None:
    """The command line knows what to make of it, and the words for what is wrong with it."""
    with pytest.raises(ValueError):
        _plain_request(arguments)


def test_the_words_of_the_domain_are_all_there() -> None:
    """They are spelled a second time, and must not fall behind."""
    assert {mode.value for mode in Mode} == plain.MODES
    assert list(plain.CORPORA.values()) == [corpus.value for corpus in CORPORA]
    assert {word: corpus.value for word, corpus in CORPUS_WORDS.items()} == plain.CORPORA
    assert {*plain.DEPTHS, "default"} == {depth.value for depth in SnippetMode}
    assert plain.request_of(plain.read(["words"]), "") == {
        **stable_json.plain(SearchRequest("words", timeout_ms=Asking().timeout_ms)),  # type: ignore[dict-item] # an object
    }


LEFT_TO_CLI = frozenset(
    {
        *("--find", "--no-vectors", "--backend", "--receipt", "--force", "--repo", "--profile"),
        *("--encoder", "--sync", "--strict", "--offline"),
    }
)
"""What is too rare, or too much, for the console script."""


def test_each_option_of_a_search_is_taken_or_left_by_intent() -> None:
    """A new option is left to the command line in silence otherwise, and each use is slow."""
    switches: dict[str, tuple[str, str]] = {}
    values: dict[str, str] = {}
    for group in (Question, Hits, Kept, Asking):
        for option in options_of(group):
            names = [name for name in option.flag.names.split() if name not in LEFT_TO_CLI]
            is_switch = option.kind in {bool, bool | None}
            switches |= {name: (option.name, "") for name in names if is_switch}
            values |= {name: option.name for name in names if not is_switch}
            for switch in option.flag.switches:
                switches |= dict.fromkeys(switch.names.split(), (option.name, switch.word))

    assert switches == plain.SWITCHES
    assert values == plain.VALUES

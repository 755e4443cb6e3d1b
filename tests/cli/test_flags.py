"""Flags become a request or an error that names the mistake."""

import inspect
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.interfaces.cli.parsing.flags import (
    Flag,
    Option,
    Switch,
    help_of,
    option_of,
    options_of,
    request_fields,
    require_known,
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
    ReceiptOutput,
    TypedSearch,
    given_fields,
    request_of,
)
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter
from ggrep.model.request import Find, SearchRequest, SnippetMode
from tests.journeys.command import Command

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
    return next(each for each in options_of(Group) if each.name == name)


def test_help_words_and_default_are_those_of_the_request() -> None:
    """Said a second time they would fall behind."""
    number = "Maximum number of hits per file; 0 for no limit. [default: 3]"

    assert help_of(option("per_file")) == number
    assert help_of(option("find")).startswith("Look for it as: auto, definition, usage, ")
    assert help_of(option("find")).endswith(" or similar-code. [default: auto]")
    assert help_of(option("explain")) == "Add an explanation of each score."
    assert help_of(option("own")) == "An option of its own."


def test_what_was_not_typed_is_left_to_the_request() -> None:
    typed = {"per_file": 3, "vectors": False}

    assert request_fields(SearchRequest, Group()) == {}
    assert request_fields(SearchRequest, Group(**typed)) == typed


def test_a_number_is_judged_and_given_once() -> None:
    """Two numbers, even equal ones, show that a script went wrong."""
    with pytest.raises(InvalidRequest, match="-m: 0 is less than 1"):
        request_fields(SearchRequest, Group(limit=0))

    with pytest.raises(
        UsageError, check=lambda error: error.code == "ERR_FEDERATED_DUPLICATE_TOP_FLAG"
    ):
        request_of(replace(PLAIN, hits=HitOptions(limit=(5, 5))), scope="")


def test_flags_that_say_what_holds_anyhow_are_not_named() -> None:
    assert typed_flags(Group(per_file=3, own=("a",), explain=True)) == ["--explain", "--own"]
    assert typed_flags(MergeOptions(concurrency=4, fold=False)) == ["--fold"]
    with pytest.raises(UsageError, match="--only, --fold: allowed only with --workspace"):
        MergeOptions(only=("api",), fold=True).refuse_without_file()


def test_the_options_that_set_no_field_of_a_request_are_known() -> None:
    """A slip in a name would be an option without effect."""
    groups = {
        each.annotation
        for entry in EVERY.values()
        for each in inspect.signature(entry.load()).parameters.values()
        if hasattr(each.annotation, "of")
    }
    ours = {option.name for group in groups for option in options_of(group) if option.of is None}

    assert ours == OWN


def every_piece() -> list[Piece]:
    entries = EVERY.values()
    return [piece for entry in entries for piece in pieces_of(entry.load()) or ()]


@pytest.mark.parametrize(
    "flag", ["--deterministic", "--encoder", "--profile", "--yes", "--plain", "--timeout-ms"]
)
def test_an_option_of_several_commands_is_declared_once(flag: str) -> None:
    kept = [
        piece.says.flag
        for piece in every_piece()
        if flag in piece.names and isinstance(piece.says, Option)
    ]

    assert len(kept) > 3
    assert all(each is kept[0] for each in kept)


def test_the_one_declaration_is_the_one_of_the_groups() -> None:
    """Or the test above would hold of nothing."""
    ours = option_of("deterministic", DeterministicFlag, default=False)

    assert ours is not None
    assert ours.flag in [each.flag for each in options_of(IndexOptions)]


def test_a_switch_is_a_word_of_its_option() -> None:
    """`-d` is `--mode discovery`."""
    mode = next(each for each in options_of(QueryOptions) if each.name == "mode")
    snippet = next(each for each in options_of(HitOptions) if each.name == "snippet")

    assert Switch("-d --discovery", "discovery", "Intent: a broad overview.") in mode.flag.switches
    assert snippet.flag.shown == "--content"


PLAIN = TypedSearch("words")


def asked(**options: object) -> SearchRequest:
    """Return the request of a question with some options."""
    return request_of(TypedSearch("words", question=QueryOptions(**options)), scope="")  # type: ignore[arg-type] # they vary


def test_without_flags_the_defaults_of_every_surface_hold_and_the_deepest_snippet_wins() -> None:
    request = request_of(PLAIN, scope="")

    assert (request.limit, request.per_file, request.mode) == (10, 3, Mode.BALANCED)
    assert request.corpora == CORPORA
    assert request.snippet is SnippetMode.DEFAULT

    request = request_of(TypedSearch("words", hits=HitOptions(snippet=("short", "full"))), scope="")

    assert request.snippet is SnippetMode.FULL

    kept = replace(PLAIN, output=ReceiptOutput(receipt=Path("r.json")))

    assert request_of(kept, scope="").deterministic
    assert not request_of(PLAIN, scope="").deterministic


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        # Shells make `!` awkward and option parsers `-`.
        ({"filters": ("-lang:python",)}, "filters", (Filter("lang", "python", negated=True),)),
        ({"filters": ("!lang:python",)}, "filters", (Filter("lang", "python", negated=True),)),
        ({"filters": ("path:a:b",)}, "filters", (Filter("path", "a:b"),)),
        ({"corpora": ("records", "code", "code")}, "corpora", (Corpus.CODE, Corpus.RECORDS)),
        ({"corpora": ("code", "all")}, "corpora", CORPORA),
        # `-d --mode discovery` contradicts nothing.
        ({"mode": ("discovery", "discovery")}, "mode", Mode.DISCOVERY),
        ({"find": "exact-text"}, "find", Find.EXACT_TEXT),
        ({"vectors": False}, "vectors", False),
    ],
)
def test_options_become_fields_of_the_request(
    options: dict[str, object], field: str, value: object
) -> None:
    assert getattr(asked(**options), field) == value


@pytest.mark.parametrize(
    ("group", "kind", "output"),
    [
        (QueryOptions(mode=("debug", "planning")), UsageError, "debug and planning"),
        (QueryOptions(mode=("code",)), InvalidRequest, "--corpus"),
        (QueryOptions(mode=("x",)), InvalidRequest, "balanced"),
        (
            QueryOptions(find="text"),
            InvalidRequest,
            "--find: unknown 'text'; use one of auto, ",
        ),
        (QueryOptions(corpora=("balanced",)), InvalidRequest, "extracted-prose"),
        (
            QueryOptions(filters=("lang",)),
            InvalidRequest,
            "--filter: 'lang' must have the form key:value",
        ),
        (HitOptions(backend="ann"), InvalidRequest, "use auto or exact"),
        (IndexOptions(timeout_ms=-1), InvalidRequest, "--timeout-ms: -1"),
        (HitOptions(limit=(-3,)), InvalidRequest, "-m must be at least 1, is -3"),
    ],
)
def test_what_means_nothing_is_refused_by_name(
    group: QueryOptions | HitOptions | IndexOptions, kind: type[Exception], output: str
) -> None:
    name = {QueryOptions: "question", HitOptions: "hits", IndexOptions: "asking"}[type(group)]
    with pytest.raises(kind, match=output):
        request_of(replace(PLAIN, **{name: group}), scope="")  # type: ignore[arg-type] # by its name


def test_what_was_typed_is_kept_from_a_profile() -> None:
    typed = replace(PLAIN, question=QueryOptions(mode=("balanced",)), hits=HitOptions(per_file=3))

    assert given_fields(PLAIN) == frozenset()
    assert given_fields(typed) == {"mode", "per_file"}
    assert given_fields(replace(PLAIN, hits=HitOptions(compact=True))) == {"per_file", "snippet"}


COMMAND_PIECES = [
    pytest.param(name, piece, id=f"{name} {piece.names[0]}")
    for name, entry in EVERY.items()
    for piece in pieces_of(entry.load()) or ()
    if isinstance(piece.says, Option) and piece.says.words and not piece.word
]


@pytest.mark.parametrize(
    ("typed", "output"),
    [
        ("--find usge", "--find: unknown 'usge'; did you mean: usage; use one of auto, "),
        ("--mode plannin", "--mode: unknown 'plannin'; did you mean: planning; use one of "),
        ("--format agnet", "--format: unknown 'agnet'; did you mean: agent; use one of "),
        ("--corpus prse", "--corpus: unknown 'prse'; did you mean: prose; use one of "),
        ("--backend xact", "--backend: unknown 'xact'; did you mean: exact; use auto or exact"),
        ("--merge globl", "--merge: unknown 'globl'; did you mean: global; use rrf or global"),
        ("--cohort-policy x", "--cohort-policy: unknown 'x'; use one of default, strict, prio"),
        ("--filter lagn:go", "filter: unknown key 'lagn'; did you mean: lang; use one of "),
        (
            "--filter lang:pyhton",
            "filter: lang: unknown language 'pyhton'; did you mean: lang:python",
        ),
        ("--filter lang:h", "filter: lang: unknown language 'h'; did you mean: lang:c"),
        ("-t", "no option -t: it needs a value, such as -t py"),
        ("-Fx", "no option -F in that form: it takes no value; see: ggrep help search"),
        ("--tests=true", "no option --tests in that form: it takes no value; see: gg"),
        ("--typ py", "no option --typ; did you mean: ggrep search charge --type py"),
        ("-T pyhton", "filter: lang: unknown language 'pyhton'; did you mean: lang:python"),
        (
            "--filter lang:qqqqqq",
            "filter: lang: unknown language 'qqqqqq'; use a name such as python",
        ),
        ("--filter kind:clas", "filter: kind: unknown 'clas'; did you mean: class; use one of "),
        ("--filter corpus:cod", "filter: corpus: unknown 'cod'; did you mean: code; use one of "),
        ("--filter test:ture", "filter: test: unknown 'ture'; did you mean: true; use true or "),
        ("--filter lang:", "filter: lang: requires a value"),
        ("--filter lang", "--filter: 'lang' must have the form key:value"),
        ("--fliter lang:go", "no option --fliter; did you mean: ggrep search charge --filter la"),
        ("--levle 1", "no option --levle; did you mean: ggrep search charge --level 1"),
        ("--level 7", "--level: 7 must be 0, 1, 2 or 3"),
        ("-m 0", "-m must be at least 1, is 0"),
        ("--timeout-ms -1", "--timeout-ms: -1 is negative"),
    ],
)
def test_a_misspelt_line_is_a_usage_error(
    ggrep: Command, shop: Path, typed: str, output: str
) -> None:
    form = ("--format", "slate") if typed == "--level 7" else ()

    done = ggrep("search", "charge", *typed.split(), *form)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {output}")


@pytest.mark.parametrize("name", ["symbol", "refs"])
def test_an_option_of_other_commands_names_them(ggrep: Command, shop: Path, name: str) -> None:
    done = ggrep(name, "-F", "charge_card")

    assert done.status == 2
    assert done.err.startswith("error: no option -F; commands with -F: ggrep search, ggrep slate;")


@pytest.mark.parametrize("name", ["slate", "symbol", "refs"])
def test_filters_mean_the_same_to_every_command(ggrep: Command, shop: Path, name: str) -> None:
    done = ggrep(name, "charge_card", "--filter", "lagn:go")

    assert done.status == 2
    assert "did you mean: lang" in done.err


@pytest.mark.parametrize(("name", "piece"), COMMAND_PIECES)
def test_an_option_of_few_words_takes_no_other(name: str, piece: Piece) -> None:
    """A word that a command does not know would be one without effect."""
    assert isinstance(piece.says, Option)
    if piece.says.flag.read is not None:
        return  # it is more than the word, and reads for itself
    for word in piece.says.words:
        require_known(piece.says, word)
    with pytest.raises(UsageError, match=f"did you mean: {piece.says.words[0]}; use "):
        require_known(piece.says, f"{piece.says.words[0]}x")


def test_a_misspelt_line_is_json_where_that_is_asked_for(ggrep: Command, shop: Path) -> None:
    done = ggrep("search", "charge", "--find", "usge", "--json")

    assert (done.status, done.error()["code"]) == (2, "invalid_request")
    assert "did you mean: usage" in done.error()["message"]

"""What is misspelt is said so, with the nearest that is not, and searches for nothing."""

from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.flags import Option, require_known
from ggrep.interfaces.cli.parsing.parameters import Piece, pieces_of
from ggrep.interfaces.cli.parsing.tree import EVERY
from tests.journeys.command import Command

COMMAND_PIECES = [
    pytest.param(name, piece, id=f"{name} {piece.names[0]}")
    for name, entry in EVERY.items()
    for piece in pieces_of(entry.load()) or ()
    if isinstance(piece.says, Option) and piece.says.words and not piece.word
]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--find usge", "--find: unknown 'usge'; did you mean: usage; use one of auto, "),
        ("--mode plannin", "--mode: unknown 'plannin'; did you mean: planning; use one of "),
        ("--format agnet", "--format: unknown 'agnet'; did you mean: agent; use one of "),
        ("--corpus prse", "--corpus: unknown 'prse'; did you mean: prose; use one of "),
        ("--backend xact", "--backend: unknown 'xact'; did you mean: exact; use auto or exact"),
        ("--merge globl", "--merge: unknown 'globl'; did you mean: global; use rrf or global"),
        ("--cohort-policy x", "--cohort-policy: unknown 'x'; use one of default, strict, prio"),
        ("--filter lagn:go", "filter: unknown key 'lagn'; did you mean: lang; use one of "),
        ("--filter lang:pyhton", "filter: lang: unknown 'pyhton'; did you mean: lang:python"),
        ("--filter lang:h", "filter: lang: unknown 'h'; did you mean: lang:c"),
        ("-t", "no option -t: it needs a value of its own, such as -t py"),
        ("-Fx", "no option -F in that form: it stands by itself and takes no value; see: ggrep he"),
        ("--tests=true", "no option --tests in that form: it stands by itself"),
        ("--typ py", "no option --typ; did you mean: ggrep search charge --type py"),
        ("-T pyhton", "filter: lang: unknown 'pyhton'; did you mean: lang:python"),
        ("--filter lang:qqqqqq", "filter: lang: unknown 'qqqqqq'; use a name such as python"),
        ("--filter kind:clas", "filter: kind: unknown 'clas'; did you mean: class; use one of "),
        ("--filter corpus:cod", "filter: corpus: unknown 'cod'; did you mean: code; use one of "),
        ("--filter test:ture", "filter: test: unknown 'ture'; did you mean: true; use true or "),
        ("--filter lang:", "filter: lang: needs a value"),
        ("--filter lang", "--filter: 'lang' is not key:value"),
        ("--fliter lang:go", "no option --fliter; did you mean: ggrep search charge --filter la"),
        ("--levle 1", "no option --levle; did you mean: ggrep search charge --level 1"),
        ("--level 7", "--level: 7 is not 0, 1, 2 or 3"),
        ("-m 0", "-m must be at least 1, is 0"),
        ("--timeout-ms -1", "--timeout-ms: -1 is negative"),
    ],
)
def test_a_misspelt_line_is_a_usage_error(
    ggrep: Command, shop: Path, typed: str, said: str
) -> None:
    """One exit status for all of them; nothing is searched for and nothing found."""
    form = ("--format", "slate") if typed == "--level 7" else ()

    done = ggrep("search", "charge", *typed.split(), *form)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {said}")


@pytest.mark.parametrize("name", ["slate", "symbol", "refs"])
def test_filters_mean_the_same_to_every_command(ggrep: Command, shop: Path, name: str) -> None:
    """Whoever learned one knows the others."""
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
    """Programs read the same words."""
    done = ggrep("search", "charge", "--find", "usge", "--json")

    assert (done.status, done.error()["code"]) == (2, "invalid_request")
    assert "did you mean: usage" in done.error()["message"]

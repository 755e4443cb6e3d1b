"""The check of what clients send."""

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.arguments import (
    Argument,
    body_of,
    in_flat_words,
    read_arguments,
    schema_of,
)

ARGUMENTS = (
    Argument("query", "string", ("query",), "Words.", required=True),
    Argument("top", "integer", ("search", "top"), default=10),
    Argument("per_file", "integer", ("search", "perFile")),
    Argument("strict", "boolean", ("strict",)),
    Argument("corpus", "array", ("search", "mode"), words=("code", "prose")),
    Argument("deep", "boolean"),
)
LISTED = (ARGUMENTS[0], Argument("options", "array"))
RARE = (
    Argument("vectors", "boolean", ("search", "vectors")),
    Argument("rrf_k", "integer", ("merge", "rrfK")),
    Argument("policy", "string", ("cohorts", "policy")),
    Argument("cohort", "array", ("cohorts", "cohort")),
)


def read_options(*options: object) -> dict[str, object]:
    """Return the values of options, without the query that is given beside them."""
    values = read_arguments("t", LISTED, {"query": "q", "options": list(options)}, RARE)
    assert values.pop("query") == "q"
    return values


def test_a_schema_names_type_words_description_and_default() -> None:
    """It is all that a model knows of an argument; not every draft allows an empty list."""
    assert schema_of(ARGUMENTS) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words."},
            "top": {"type": "integer", "default": 10},
            "per_file": {"type": "integer"},
            "strict": {"type": "boolean"},
            "corpus": {"type": "array", "items": {"type": "string", "enum": ["code", "prose"]}},
            "deep": {"type": "boolean"},
        },
        "required": ["query"],
    }

    assert "required" not in schema_of(ARGUMENTS[1:])

    schema = schema_of((Argument("mode", "string", words=("a", "b")),))

    assert schema["properties"] == {"mode": {"type": "string", "enum": ["a", "b"]}}


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({}, {"top": 10}),
        ({"top": None, "strict": None}, {"top": 10}),
        ({"top": 0, "strict": False}, {"top": 0, "strict": False}),
        # JSON has one kind of number; some clients write 10 as 10.0.
        ({"top": 10.0}, {"top": 10}),
        ({"corpus": "code"}, {"top": 10, "corpus": ["code"]}),
    ],
)
def test_values_come_back_with_defaults(
    given: dict[str, object], values: dict[str, object]
) -> None:
    result = read_arguments("t", ARGUMENTS, {"query": "", **given})

    assert result == {"query": "", **values}
    assert isinstance(result["top"], int)


@pytest.mark.parametrize("given", [{}, {"query": None}])
def test_a_missing_argument_is_named(given: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest, match=r"^find: the argument 'query' is missing$"):
        read_arguments("find", ARGUMENTS, given)


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("query", 3, "of type string, is 3"),
        ("top", "3", "of type integer, is '3'"),
        ("top", True, "of type integer, is True"),
        ("top", 3.5, "of type integer, is 3.5"),
        ("strict", 1, "of type boolean, is 1"),
        ("strict", "true", "of type boolean, is 'true'"),
        ("corpus", 1, "an array of strings, is 1"),
        ("corpus", ["code", 1], "an array of strings, is \\['code', 1\\]"),
        ("query", ["q"], "of type string, is \\['q'\\]"),
    ],
)
def test_a_value_of_another_type_is_refused(name: str, value: object, wanted: str) -> None:
    """Taken for true, a word would turn on what it should turn off."""
    with pytest.raises(InvalidRequest, match=f"^t: the argument {name} must be {wanted}$"):
        read_arguments("t", ARGUMENTS, {"query": "q", name: value})


@pytest.mark.parametrize("given", [{"top": "x" * 1000}, {"options": ["x" * 1000]}])
def test_a_long_value_is_not_quoted_whole(given: dict[str, object]) -> None:
    """A message is read by a model, which pays for every byte."""
    with pytest.raises(InvalidRequest) as refused:
        read_arguments("t", (*ARGUMENTS, LISTED[1]), {"query": "q", **given}, RARE)
    assert len(str(refused.value)) < 200


def test_a_body_has_each_value_in_its_place() -> None:
    """The same body as over HTTP goes through the same check."""
    values = {"query": "q", "top": 3, "per_file": 0, "strict": True, "deep": True}

    assert body_of(ARGUMENTS, values) == {
        "query": "q",
        "search": {"top": 3, "perFile": 0},
        "strict": True,
    }


def test_messages_name_arguments_rather_than_places() -> None:
    """A model has never seen the body, whose `mode` is our `corpus`."""
    output = "$.search.perFile: must be 0 or more; $.query: is empty; $.search.mode: no"
    ours = "per_file: must be 0 or more; query: is empty; corpus: no"
    intent = "$.search.intent: 'all' is a corpus; use the field `mode`, not in `other`"
    swapped = (
        Argument("mode", "string", ("search", "intent")),
        Argument("corpus", "array", ("search", "mode")),
    )
    longer = (Argument("a", "string", ("x",)), Argument("b", "string", ("xy",)))

    assert in_flat_words(output, ARGUMENTS) == ours
    assert in_flat_words(intent, swapped) == (
        "mode: 'all' is a corpus; use the field `corpus`, not in `other`"
    )
    assert in_flat_words("$.xy and $.x", longer) == "b and a"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("vectors=false", {"vectors": False}),
        ("vectors=True", {"vectors": True}),
        ("rrf_k=7", {"rrf_k": 7}),
        ("rrf_k=-7", {"rrf_k": -7}),
        ("policy=strict", {"policy": "strict"}),
        ("policy=", {"policy": ""}),
        ("policy=a=b", {"policy": "a=b"}),
        ("cohort=code:abc", {"cohort": ["code:abc"]}),
    ],
)
def test_an_option_is_a_value_of_its_type(option: str, value: dict[str, object]) -> None:
    """It goes through the same check as what is listed."""
    assert read_options(option) == value


def test_options_that_are_said_twice_add_up_or_the_last_counts() -> None:
    result = read_options("cohort=a", "rrf_k=1", "cohort=b", "rrf_k=2")

    assert result == {"cohort": ["a", "b"], "rrf_k": 2}


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"options": "rrf_k=7"}, {"rrf_k": 7}),
        # The model has the name right, and there is one thing that it can mean.
        ({"rrf_k": 7, "cohort": "a", "policy": None}, {"rrf_k": 7, "cohort": ["a"]}),
        ({"rrf_k": 7, "options": ["rrf_k=7"]}, {"rrf_k": 7}),
    ],
)
def test_a_lone_option_needs_no_brackets_and_may_be_an_argument(
    given: dict[str, object], values: dict[str, object]
) -> None:
    result = read_arguments("t", LISTED, {"query": "q", **given}, RARE)

    assert result == {"query": "q", **values}


@pytest.mark.parametrize("option", ["vector=true", "vectors", "", "=true", " vectors=true"])
def test_an_unknown_option_is_refused_with_those_there_are(option: str) -> None:
    """What no schema lists has to be said somewhere."""
    with pytest.raises(InvalidRequest) as refused:
        read_options(option)

    assert str(refused.value) == (
        f"t: unknown option {option!a}; known options: vectors=, rrf_k=, policy=, cohort="
    )


@pytest.mark.parametrize(
    ("option", "wanted"),
    [
        ("vectors=1", "vectors must be of type boolean, is '1'"),
        ("rrf_k=many", "rrf_k must be of type integer, is 'many'"),
        ("rrf_k=1.5", "rrf_k must be of type integer, is '1.5'"),
        ("rrf_k=", "rrf_k must be of type integer, is ''"),
        ("rrf_k=--7", "rrf_k must be of type integer, is '--7'"),
        ("rrf_k=\u0667", r"rrf_k must be of type integer, is '\u0667'"),
    ],
)
def test_an_option_of_another_type_is_refused(option: str, wanted: str) -> None:
    """Taken for true, a word would turn on what it should turn off."""
    with pytest.raises(InvalidRequest) as refused:
        read_options(option)

    assert str(refused.value) == f"t: the argument {wanted}"


def test_an_option_that_is_an_argument_with_another_value_is_refused() -> None:
    """Either could be meant, and an argument is no option."""
    given = {"query": "q", "rrf_k": 7, "options": ["rrf_k=8"]}
    both = r"^t: rrf_k is given both as an argument and in options$"

    with pytest.raises(InvalidRequest, match=both):
        read_arguments("t", LISTED, given, RARE)
    with pytest.raises(InvalidRequest, match="unknown option 'query=other'"):
        read_options("query=other")


def test_what_is_rarely_given_has_its_default() -> None:
    """It is in force whether it is listed or not."""
    rare = (Argument("snippet", "string", ("search", "snippet"), default="short"),)

    assert read_arguments("t", LISTED, {"query": "q"}, rare)["snippet"] == "short"
    assert read_arguments("t", LISTED, {"query": "q", "snippet": "full"}, rare)["snippet"] == "full"

"""Editing a workspace file: what is not touched stays to the byte."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import WorkspaceError
from ggrep.federation.editing import NewEntry, add_repo, init_text, remove_repo, remove_repo_at
from ggrep.federation.workspace_text import line_of, lines_of, parse_text

TEXT = """// top
{
  "schemaVersion": 1, // version
  "repos": [
    // the engine
    { "root": "../engine", "alias": "Engine" }, // fast
    { "root": "../web/", "tags": ["a", "b"] }, /* two
    lines */
    { "root": "../docs" } // last
    // closing words
  ],
  /* tail */
}
"""


def roots(text: str) -> list[str]:
    return [entry["root"] for entry in parse_text(text, "t")["repos"]]


def test_init_writes_a_valid_file_that_merges_without_loss() -> None:
    text = init_text('a "b"', ["../x", NewEntry("../y", alias="why", tags=("t",), priority=2)])

    value = parse_text(text, "t")
    assert value["name"] == 'a "b"'
    assert value["merge"] == {"strategy": "global"}
    assert value["schemaVersion"] == 1
    assert value["repos"][1] == {"root": "../y", "alias": "why", "priority": 2, "tags": ["t"]}


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda: init_text("x", []), "ERR_WORKSPACE_REPOS_EMPTY"),
        (
            lambda: add_repo(TEXT, NewEntry("../other", alias="ENGINE")),
            "ERR_WORKSPACE_DUPLICATE_ALIAS",
        ),
    ],
)
def test_an_edit_with_a_wrong_result_is_refused(edit: Callable[[], str], code: str) -> None:
    with pytest.raises(WorkspaceError, check=lambda error: error.code == code):
        edit()


def test_an_added_entry_stands_last_and_nothing_else_moves() -> None:
    """Comments are the reason the file is JSONC; a mixed file would show as changed everywhere."""
    added = add_repo(TEXT, NewEntry("../new", alias="n"))
    windows = add_repo(TEXT.replace("\n", "\r\n"), NewEntry("../new"))

    assert added == TEXT.replace(
        '    { "root": "../docs" } // last\n',
        '    { "root": "../docs" }, // last\n    { "root": "../new", "alias": "n" }\n',
    )
    assert windows.count("\n") == windows.count("\r\n") == TEXT.count("\n") + 1


def test_the_author_s_form_wins_over_ours() -> None:
    text = init_text("x", ["../a"])

    added = add_repo(text, NewEntry("../b", enabled=False))

    assert '{ "root": "../a" },\n    { "root": "../b", "enabled": false },\n  ],' in added

    text = '{"schemaVersion": 1, "repos": [{"root": "a"}]}'

    added = add_repo(text, NewEntry("b"))

    assert added == '{"schemaVersion": 1, "repos": [{"root": "a"}, { "root": "b" }]}'
    assert remove_repo(added, "b") == text
    assert roots(remove_repo(added, "a")) == ["b"]


@pytest.mark.parametrize(
    ("selector", "left"),
    [
        ("engine", ["../web/", "../docs"]),
        ("../engine", ["../web/", "../docs"]),
        ("../web", ["../engine", "../docs"]),
        ("../docs", ["../engine", "../web/"]),
    ],
)
def test_an_entry_is_removed_by_alias_or_root(selector: str, left: list[str]) -> None:
    """People name a repository as they see it in the file."""
    shorter = remove_repo(TEXT, selector)

    assert roots(shorter) == left
    for comment in ("// top", "// version", "// the engine", "// closing words", "/* tail */"):
        assert comment in shorter


def test_removing_takes_the_entry_s_line_and_its_comment_and_the_comma_before_the_last() -> None:
    """A comment about a repository that is gone would lie."""
    last = remove_repo(TEXT, "../docs")

    assert remove_repo(TEXT, "engine") == TEXT.replace(
        '    { "root": "../engine", "alias": "Engine" }, // fast\n', ""
    )
    assert '{ "root": "../web/", "tags": ["a", "b"] } /* two' in last
    assert "// last" not in last


@pytest.mark.parametrize(
    ("text", "selector", "message"),
    [
        (TEXT, "nobody", "no entry matches"),
        ('{"schemaVersion": 1, "repos": [{"root": "a"}]}', "a", "at least one"),
        ("{}", "a", "no array named `repos`"),
        ('{"repos": 5}', "a", "no array named `repos`"),
        (TEXT, " ", "no entry matches"),
        ("{", "a", "cannot be parsed"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, selector: str, message: str) -> None:
    """A half-edited file would stop every search."""
    with pytest.raises(WorkspaceError, match=message):
        remove_repo(text, selector)


BROKEN = """{
  "version": 3,
  "repos": [
    { "root": "../a", "alias": "x" },
    5,
    { "root": "../a", "alias": "X" },
    { "alias": "rootless" }, // why
    { "root": 7, "tags": "t", },
    {
      "root": "../b",
      "colour": "red"
    }
  ]
}
"""


@pytest.mark.parametrize(
    ("selector", "gone"),
    [
        ("rootless", '    { "alias": "rootless" }, // why\n'),
        ("repos[1]", "    5,\n"),
        ("repos[3]", '    { "alias": "rootless" }, // why\n'),
        ("repos[4]", '    { "root": 7, "tags": "t", },\n'),
        ("../b", ',\n    {\n      "root": "../b",\n      "colour": "red"\n    }'),
    ],
)
def test_an_entry_is_taken_out_of_a_file_with_anything_wrong(selector: str, gone: str) -> None:
    assert remove_repo(BROKEN, selector) == BROKEN.replace(gone, "")


def test_an_alias_of_two_is_told_with_lines_and_places() -> None:
    with pytest.raises(WorkspaceError) as caught:
        remove_repo(BROKEN, "x")

    issue = caught.value.issues[0]
    assert "repos[0] (line 4), repos[2] (line 6)" in issue.message
    assert issue.hint == "remove an entry by its position: ggrep workspace remove FILE 'repos[2]'"


def test_an_entry_is_removed_by_alias_before_root_by_id_and_by_where_it_is() -> None:
    """Answers name a repository without an alias by its id."""
    names = {"../web/": ("web-0123", "/srv/web"), "../engine": ("engine-99",)}
    by_id = remove_repo(TEXT, "web-0123", lambda root: names.get(root, ()))
    by_path = remove_repo(TEXT, "/srv/web", lambda root: names.get(root, ()))

    assert roots(by_id) == roots(by_path) == ["../engine", "../docs"]

    text = '{"repos": [{"root": "web"}, {"root": "b", "alias": "web"}]}'

    assert roots(remove_repo(text, "web")) == ["web"]


def test_each_thing_that_is_wrong_has_its_line() -> None:
    """A file of hundreds of entries is not searched by counting them."""
    fields = {"$.version": 2, "$.repos[1]": 5, "$.repos[2].alias": 6, "$.repos[5].colour": 11}
    fields |= {"$.repos[4].tags[0]": 8, "$.name": 0, "$": 0}
    lines = lines_of(BROKEN)

    assert {field: line_of(lines, field) for field in fields} == fields


def test_an_index_out_of_range_is_refused() -> None:
    """Off by one must not remove a neighbour."""
    with pytest.raises(WorkspaceError, match=r"no entry repos\[3\]"):
        remove_repo_at(TEXT, 3)


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=5, unique=True), st.data())
def test_adding_and_removing_any_entry_keeps_the_others(
    names: list[str], data: st.DataObject
) -> None:
    comma = data.draw(st.sampled_from([",", ", // c\n", " /* b */ ,\n ", ",\n\n", "\n , "]))
    end = data.draw(st.sampled_from(["", ",", "\n", " // e\n", ",\n  // e\n"]))
    items = comma.join(f'{{"root": "{name}"}}' for name in names)
    text = f'{{"schemaVersion": 1, "repos": [ {items}{end} ] }}'
    index = data.draw(st.integers(0, len(names) - 1))

    assert roots(add_repo(text, NewEntry("z"))) == [*names, "z"]
    assert roots(remove_repo_at(text, index)) == names[:index] + names[index + 1 :]

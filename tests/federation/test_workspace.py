"""Loading a workspace file: every rule of its table, and files made to hurt."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.config.fingerprints import repo_id
from ggrep.config.root import canonical_root
from ggrep.federation.roots import workspace_warnings
from ggrep.federation.validation import MAX_ISSUES, validate
from ggrep.federation.workspace import (
    Workspace,
    load_workspace,
    repo_set_id,
    resolved_object,
)
from ggrep.federation.workspace_draft import MAX_REPOS
from ggrep.federation.workspace_text import MAX_WORKSPACE_BYTES, parse_text
from tests.fakes.searchers import repo

root_of = canonical_root
EXAMPLES = Path(__file__).parents[2] / "workspaces"


def top_of(directory: Path) -> Path:
    """Stand for the real root finder: the nearest directory above that holds `.git`."""
    directory = directory.resolve()
    return next((d for d in (directory, *directory.parents) if (d / ".git").is_dir()), directory)


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Workspace]:
    for name in ("alpha", "beta"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "src").mkdir()
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "link").symlink_to("alpha")
    (tmp_path / "ws").mkdir()

    def run(text: str | bytes, **options: object) -> Workspace:
        path = tmp_path / "ws" / "w.jsonc"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_workspace(path, resolve_root=top_of, **{"whole": True, **options})

    return run


def body(repos: str = '{"root": "../alpha"}', more: str = "") -> str:
    return f'{{"schemaVersion": 1, {more} "repos": [{repos}]}}'


def problems(load: Callable[..., Workspace], text: str | bytes) -> list[tuple[str, str, str]]:
    with pytest.raises(WorkspaceError) as caught:
        load(text)
    return [(issue.code, issue.field, issue.reason) for issue in caught.value.issues]


def test_every_field_is_read_and_normalised(load: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = load(
        """// comment
        {
          "schemaVersion": 1, "name": " farm ", "cacheRoot": " ../cache ",
          "defaults": {"priority": 3, "tags": ["Active "]},
          "merge": {"strategy": "global", "rrfK": 7},
          "repos": [
            {"root": " ../beta/src ", "alias": " Beta ", "tags": ["B", "a ", "b", ""]}, /* x */
            {"root": "../alpha", "alias": "  ", "enabled": false, "priority": -1},
          ],
        }"""
    )

    first, second = workspace.repos
    assert (workspace.name, workspace.cache_root) == ("farm", tmp_path / "cache")
    assert (workspace.merge.strategy, workspace.merge.rrf_k) == ("global", 7)
    assert first.root_canonical == tmp_path / "beta"
    assert first.root_abs == tmp_path / "beta" / "src"
    assert (first.alias, first.tags, first.enabled, first.priority) == ("Beta", ("a", "b"), True, 3)
    assert (second.alias, second.tags, second.enabled) == (None, ("active",), False)
    assert (second.priority, second.index, second.root_input) == (-1, 1, "../alpha")
    assert first.repo_id.startswith("beta-")


@pytest.mark.parametrize("name", ["evidence", " global-rrf ", "weighted-rrf"])
def test_a_removed_strategy_is_read_as_global_with_a_warning(
    load: Callable[..., Workspace], name: str
) -> None:
    workspace = load(body(more=f'"merge": {{"strategy": "{name}", "rrfK": 7}},'))
    current = load(body(more='"merge": {"strategy": "global", "rrfK": 7},'))
    (warning,) = workspace_warnings(workspace)

    assert (workspace.merge, workspace_warnings(current)) == (current.merge, ())
    assert workspace.workspace_config_hash == current.workspace_config_hash
    assert warning.code == "WARN_WORKSPACE_MERGE_STRATEGY_REMOVED"
    assert f"'{name.strip()}'" in warning.message
    assert "'global'" in warning.message


def test_explicit_nulls_mean_the_defaults(load: Callable[..., Workspace]) -> None:
    nulls = '{"root": "../alpha", "alias": null, "enabled": null, "priority": null, "tags": null}'
    more = '"name": null, "cacheRoot": null, "defaults": null, "merge": null,'

    workspace = load(body(nulls, more))

    assert workspace.repos == load(body()).repos
    assert (workspace.name, workspace.cache_root) == ("", None)


PARSE = "ERR_WORKSPACE_PARSE_FAILED"
SHAPE = "ERR_WORKSPACE_INVALID_SHAPE"
VERSION = "ERR_WORKSPACE_SCHEMA_VERSION"
UNKNOWN = "ERR_WORKSPACE_UNKNOWN_KEY"
EMPTY = "ERR_WORKSPACE_REPOS_EMPTY"
NO_ROOT = "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
IDS = ["my-service-bc354a94d3d5", "api-052d9d456b01"]
SAME_ROOT = "ERR_WORKSPACE_DUPLICATE_REPO_ROOT"
SAME_ALIAS = "ERR_WORKSPACE_DUPLICATE_ALIAS"

BAD = [
    ("", PARSE, "$", "empty"),
    (" \n\t", PARSE, "$", "empty"),
    ("// only\n/* words */", PARSE, "$", "empty"),
    ('{"schemaVersion": 1', PARSE, "$", "syntax"),
    ("{'schemaVersion': 1}", PARSE, "$", "syntax"),
    ("{schemaVersion: 1}", PARSE, "$", "syntax"),
    ('{"schemaVersion": 0x1}', PARSE, "$", "syntax"),
    ('{"schemaVersion": NaN}', PARSE, "$", "syntax"),
    ('{"schemaVersion": Infinity}', PARSE, "$", "syntax"),
    ('{"schemaVersion": +1}', PARSE, "$", "syntax"),
    ('{"a": "\\ud800"}', PARSE, "$", "surrogate"),
    ('{"a": 1, "\\u0061": 2}', PARSE, "$", "duplicate-key"),
    ("[" * 5000, PARSE, "$", "too-deep"),
    ("[" * 65 + "]" * 65, PARSE, "$", "too-deep"),
    ("[" * 64 + "]" * 64, "ERR_WORKSPACE_ROOT_NOT_OBJECT", "$", "type"),
    ('{"schemaVersion": 1e400}', PARSE, "$", "number"),
    ('{"schemaVersion": ' + "9" * 5000 + "}", PARSE, "$", "number"),
    ("\0{}", PARSE, "$", "syntax"),
    ("{}\0", PARSE, "$", "syntax"),
    ("{} {}", PARSE, "$", "syntax"),
    ("{,}", PARSE, "$", "syntax"),
    ("[,]", PARSE, "$", "syntax"),
    ("[1,,]", PARSE, "$", "syntax"),
    ('{"a":,}', PARSE, "$", "syntax"),
    ('{"a" "b"}', PARSE, "$", "syntax"),
    ("{1: 2}", PARSE, "$", "syntax"),
    ("{]", PARSE, "$", "syntax"),
    ("}", PARSE, "$", "syntax"),
    ("/* never closed", PARSE, "$", "syntax"),
    ('"never closed', PARSE, "$", "syntax"),
    ('"a\tb"', PARSE, "$", "syntax"),
    (b"\xff{}", PARSE, "$", "encoding"),
    (b'"\xed\xa0\x80"', PARSE, "$", "encoding"),
    ("[]", "ERR_WORKSPACE_ROOT_NOT_OBJECT", "$", "type"),
    ("null", "ERR_WORKSPACE_ROOT_NOT_OBJECT", "$", "type"),
    ('{"repos": [{"root": "../alpha"}]}', VERSION, "$.schemaVersion", "required"),
    (body().replace("1", "2", 1), VERSION, "$.schemaVersion", "unsupported"),
    (body().replace("1", "true", 1), VERSION, "$.schemaVersion", "unsupported"),
    (body().replace("1", "1.0", 1), VERSION, "$.schemaVersion", "unsupported"),
    ('{"schemaVersion": 1}', EMPTY, "$.repos", "required"),
    (body(""), EMPTY, "$.repos", "required"),
    ('{"schemaVersion": 1, "repos": {}}', EMPTY, "$.repos", "type"),
    (body(more='"nmae": "x",'), UNKNOWN, "$.nmae", "unknown-key"),
    (body(more='"$schema": "x",'), UNKNOWN, "$['$schema']", "unknown-key"),
    (body(more='"defaults": {"x": 1},'), UNKNOWN, "$.defaults.x", "unknown-key"),
    (body(more='"merge": {"x": 1},'), UNKNOWN, "$.merge.x", "unknown-key"),
    (body('{"root": "../alpha", "x": 1}'), UNKNOWN, "$.repos[0].x", "unknown-key"),
    (body(more='"name": 1,'), SHAPE, "$.name", "type"),
    (body(more='"name": "a\\u001bb",'), SHAPE, "$.name", "unprintable"),
    (body(more='"cacheRoot": [],'), SHAPE, "$.cacheRoot", "type"),
    (body(more='"defaults": [],'), SHAPE, "$.defaults", "type"),
    (body(more='"merge": "rrf",'), SHAPE, "$.merge", "type"),
    (body(more='"merge": {"strategy": "x"},'), SHAPE, "$.merge.strategy", "unsupported"),
    (body(more='"merge": {"rrfK": 0},'), SHAPE, "$.merge.rrfK", "range"),
    (
        '{"schemaVersion": null, "repos": [{"root": "../alpha"}]}',
        VERSION,
        "$.schemaVersion",
        "unsupported",
    ),
    ('{"schemaVersion": 1, "repos": null}', EMPTY, "$.repos", "type"),
    (body(more='"defaults": {"enabled": 1},'), SHAPE, "$.defaults.enabled", "type"),
    (body(more='"defaults": {"tags": [{}]},'), SHAPE, "$.defaults.tags[0]", "type"),
    (body("1"), SHAPE, "$.repos[0]", "type"),
    (body(",".join(["1"] * (MAX_REPOS + 1))), SHAPE, "$.repos", "too-many"),
    (body('{"root": null}'), SHAPE, "$.repos[0].root", "required"),
    (body("null"), SHAPE, "$.repos[0]", "type"),
    (body("{}"), SHAPE, "$.repos[0].root", "required"),
    (body('{"root": " "}'), SHAPE, "$.repos[0].root", "required"),
    (body('{"root": 1}'), SHAPE, "$.repos[0].root", "type"),
    (body('{"root": "../alpha", "alias": 1}'), SHAPE, "$.repos[0].alias", "type"),
    (body('{"root": "../alpha", "tags": "x"}'), SHAPE, "$.repos[0].tags", "type"),
    (body('{"root": "../alpha", "tags": [1]}'), SHAPE, "$.repos[0].tags[0]", "type"),
    (body('{"root": "../alpha", "tags": [null]}'), SHAPE, "$.repos[0].tags[0]", "type"),
    (body('{"root": "../alpha", "enabled": 1}'), SHAPE, "$.repos[0].enabled", "type"),
    (body('{"root": "../alpha", "priority": true}'), SHAPE, "$.repos[0].priority", "type"),
    (body('{"root": "../alpha", "priority": 1.5}'), SHAPE, "$.repos[0].priority", "type"),
    (body('{"root": "../alpha", "priority": 1e300}'), SHAPE, "$.repos[0].priority", "range"),
    (body('{"root": "../alpha", "priority": 2.0}'), SHAPE, "$.repos[0].priority", "type"),
    (
        body('{"root": "../alpha", "priority": -9007199254740992}'),
        SHAPE,
        "$.repos[0].priority",
        "range",
    ),
    (
        body('{"root": "../alpha", "priority": 99999999999999999999}'),
        SHAPE,
        "$.repos[0].priority",
        "range",
    ),
    (body('{"root": "../gone"}'), NO_ROOT, "$.repos[0].root", "missing"),
    (body('{"root": "../file.txt/x"}'), NO_ROOT, "$.repos[0].root", "missing"),
    (body('{"root": "a\\u0000b"}'), NO_ROOT, "$.repos[0].root", "resolve-failed"),
    (body('{"root": "' + "a" * 300 + '"}'), NO_ROOT, "$.repos[0].root", "resolve-failed"),
    (
        body('{"root": "../file.txt"}'),
        "ERR_WORKSPACE_REPO_ROOT_NOT_DIRECTORY",
        "$.repos[0].root",
        "not-directory",
    ),
    (
        body('{"root": "../alpha"}, {"root": "../alpha/src"}'),
        SAME_ROOT,
        "$.repos[1].root",
        "duplicate",
    ),
    (body('{"root": "../alpha"}, {"root": "../link"}'), SAME_ROOT, "$.repos[1].root", "duplicate"),
    (
        body('{"root": "../alpha", "alias": "A"}, {"root": "../beta", "alias": "a"}'),
        SAME_ALIAS,
        "$.repos[1].alias",
        "duplicate",
    ),
]


@pytest.mark.parametrize(("text", "code", "field", "reason"), BAD)
def test_each_mistake_has_its_code_field_and_reason(
    load: Callable[..., Workspace], text: str | bytes, code: str, field: str, reason: str
) -> None:
    """An agent repairs a file from the code and the field, not from prose."""
    result = problems(load, text)

    assert result == [(code, field, reason)]


def test_all_mistakes_are_reported_together_in_the_file_s_order(
    load: Callable[..., Workspace],
) -> None:
    text = """{
      "typo": 1, "schemaVersion": 9, "name": 1, "defaults": {"priority": "x"}, "cacheRoot": 1,
      "repos": [
        {"root": "../gone", "alias": 1, "tags": 1, "enabled": 1, "priority": "x", "odd": 1},
        {"root": "../alpha", "alias": "A"}, {"root": "../alpha", "alias": "a"}
      ]}"""

    assert [field for _, field, _ in problems(load, text)] == [
        "$.typo",
        "$.schemaVersion",
        "$.name",
        "$.defaults.priority",
        "$.cacheRoot",
        "$.repos[0].odd",
        "$.repos[0].root",
        "$.repos[0].alias",
        "$.repos[0].tags",
        "$.repos[0].enabled",
        "$.repos[0].priority",
        "$.repos[2].root",
        "$.repos[2].alias",
    ]


MENTIONED = [
    ("", ["w.jsonc", "empty"]),
    ("{", ["w.jsonc", "syntax", "line 1, column 2"]),
    ("[]", ["w.jsonc", "must contain a JSON object", "contains an array"]),
    (body().replace("1", "9", 1), ["unsupported", "supported versions: 1"]),
    (body(""), ["at least one repository", "add one"]),
    (body(more='"nmae": "x",'), ["'nmae'", "$.nmae"]),
    (body(more='"name": 1,'), ["$.name", "must be a string, is a number"]),
    (body('{"root": "../gone"}'), ["repos[0]", "'../gone'"]),
    (body('{"root": "../file.txt"}'), ["repos[0]", "'../file.txt'", "not a directory"]),
    (
        body('{"root": "../alpha"}, {"root": "../link"}'),
        ["repos[0] ('../alpha')", "repos[1] ('../link')"],
    ),
    (
        body('{"root": "../alpha", "alias": "A"}, {"root": "../beta", "alias": "a"}'),
        ["repos[0] ('../alpha')", "repos[1] ('../beta')", "'A'"],
    ),
]


@pytest.mark.parametrize(("text", "parts"), MENTIONED)
def test_a_message_names_what_its_reader_needs(
    load: Callable[..., Workspace], text: str, parts: list[str]
) -> None:
    """Each code has things that its message must mention."""
    with pytest.raises(WorkspaceError) as caught:
        load(text)

    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_missing_root_says_how_to_go_on(load: Callable[..., Workspace]) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load(body('{"root": "../alpha"}, {"root": "../gone", "enabled": false}'))

    assert "ggrep workspace remove" in caught.value.issues[0].hint
    assert caught.value.issues[0].field == "$.repos[1].root"


def test_the_first_of_many_mistakes_gives_the_code_and_a_flood_is_cut(
    load: Callable[..., Workspace],
) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load('{"schemaVersion": 2, "odd": 1, "repos": []}')

    assert caught.value.code == "ERR_WORKSPACE_UNKNOWN_KEY"
    assert [issue.code for issue in caught.value.issues][1:] == [VERSION, EMPTY]
    assert all(issue.path.endswith("w.jsonc") for issue in caught.value.issues)

    with pytest.raises(WorkspaceError) as caught:
        load(body(more="".join(f'"k{number}": 1, ' for number in range(1500))))

    assert len(caught.value.issues) == MAX_ISSUES + 1
    assert caught.value.issues[-1].reason == "too-many"
    assert "500 further" in caught.value.issues[-1].message


def test_a_directory_is_resolved_once_however_often_it_is_written(tmp_path: Path) -> None:
    """Looking for the repository around a directory may run git."""
    asked = []

    def note(path: Path) -> Path:
        asked.append(path)
        return path

    path = tmp_path / "w.jsonc"
    path.write_text(body('{"root": "."}, {"root": "./"}, {"root": "x/.."}'))

    with pytest.raises(WorkspaceError):
        load_workspace(path, resolve_root=note, whole=True)

    assert asked == [tmp_path]


def test_directories_that_differ_in_case_alone_are_two(tmp_path: Path) -> None:
    """Case matters on this file system; only aliases ignore it."""
    (tmp_path / "Api").mkdir()
    (tmp_path / "api").mkdir()
    (tmp_path / "API").symlink_to("api")
    path = tmp_path / "w.jsonc"
    path.write_text(body('{"root": "Api"}, {"root": "api"}'))

    first, second = load_workspace(path, resolve_root=top_of, whole=True).repos

    assert first.repo_id != second.repo_id
    path.write_text(body('{"root": "API"}, {"root": "api"}'))
    with pytest.raises(WorkspaceError, check=lambda error: error.code == SAME_ROOT):
        load_workspace(path, resolve_root=top_of, whole=True)


def test_absolute_roots_are_taken_as_they_are_but_for_two_slashes(
    load: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Otherwise one directory would have two names, and two ids."""
    result = load(body(f'{{"root": "{tmp_path}/ws/../alpha"}}')).repos[0]

    assert result.root_abs == result.root_canonical == tmp_path / "alpha"

    result = load(body(f'{{"root": "/{tmp_path}/alpha"}}', f'"cacheRoot": "/{tmp_path}/c",'))

    assert (
        str(result.repos[0].root_canonical) == str(result.repos[0].root_abs) == f"{tmp_path}/alpha"
    )
    assert str(result.cache_root) == f"{tmp_path}/c"
    again = body(f'{{"root": "/{tmp_path}/alpha"}}, {{"root": "../alpha"}}')
    assert problems(load, again) == [(SAME_ROOT, "$.repos[1].root", "duplicate")]


def test_a_root_of_the_nearest_configuration_is_found(tmp_path: Path) -> None:
    for name in ("conf/src/deep", "bare/src"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "conf" / ".ggrep.toml").touch()
    path = tmp_path / "w.jsonc"
    path.write_text(body('{"root": "conf/src/deep"}, {"root": "bare/src"}'))

    roots = [
        repo.root_canonical for repo in load_workspace(path, resolve_root=root_of, whole=True).repos
    ]

    assert roots == [tmp_path / "conf", tmp_path / "bare" / "src"]


def test_tops_of_work_trees_are_found_without_running_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process for each repository of each request was once the price of a workspace."""
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").touch()
    path = tmp_path / "w.jsonc"
    path.write_text(body('{"root": "one"}, {"root": "two"}'))
    monkeypatch.setattr("subprocess.Popen", None)

    assert len(load_workspace(path, resolve_root=root_of, whole=True).repos) == 2


def test_two_roots_of_one_id_are_refused(load: Callable[..., Workspace]) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load(
            body('{"root": "../alpha"}, {"root": "../beta"}'), name_repo=lambda _: RepoId("same-1")
        )

    assert caught.value.code == "ERR_WORKSPACE_DUPLICATE_REPO_ID"
    assert "repos[0]" in str(caught.value)
    assert "repos[1]" in str(caught.value)


def test_a_root_that_cannot_be_one_is_named(tmp_path: Path) -> None:
    """The root finder refuses a home directory; the file's reader must learn which entry."""

    def refuse(path: Path) -> Path:
        raise InvalidRequest(f"{path}: not allowed as a root")

    path = tmp_path / "w.jsonc"
    path.write_text(body('{"root": "."}'))

    with pytest.raises(WorkspaceError) as caught:
        load_workspace(path, resolve_root=refuse, whole=True)

    assert caught.value.code == "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
    assert caught.value.issues[0].reason == "resolve-failed"


@pytest.mark.parametrize("name", ["gone.jsonc", ""])
def test_a_missing_file_is_told_with_its_path(tmp_path: Path, name: str) -> None:
    path = tmp_path / name if name else Path()

    with pytest.raises(WorkspaceError) as caught:
        load_workspace(path, resolve_root=top_of, whole=True)

    assert caught.value.code == "ERR_WORKSPACE_FILE_NOT_FOUND"
    assert str(path) in str(caught.value)


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.jsonc"
    os.mkfifo(fifo)

    for path in (fifo, tmp_path, Path("/dev/zero")):
        with pytest.raises(WorkspaceError) as caught:
            load_workspace(path, resolve_root=top_of, whole=True)
        assert caught.value.code == "ERR_WORKSPACE_PARSE_FAILED"
        assert caught.value.issues[0].reason == "not-regular"


def test_a_file_over_the_cap_is_not_parsed(load: Callable[..., Workspace]) -> None:
    padding = " " * (300 * 1024)

    assert problems(load, body() + padding) == [("ERR_WORKSPACE_PARSE_FAILED", "$", "too-large")]
    assert len(padding) > MAX_WORKSPACE_BYTES


def test_comments_byte_order_marks_and_windows_lines_are_accepted(
    load: Callable[..., Workspace],
) -> None:
    deep = "[{" * 200

    assert load(f'// {deep}\n/* {deep} */ {body(more=f""""name": "{deep}",""")}').name == deep

    text = "\ufeff" + body().replace(",", ",\r\n")

    assert len(load(text).repos) == 1


def test_a_mistake_of_syntax_is_named_with_its_place(
    load: Callable[..., Workspace], tmp_path: Path
) -> None:
    """Without a place, a missing comma in a long file is a hunt."""
    with pytest.raises(WorkspaceError) as caught:
        load('{\n  "schemaVersion": 1\n  "repos": []\n}')

    assert str(tmp_path / "ws" / "w.jsonc") in str(caught.value)
    assert "line 3, column 3" in str(caught.value)

    with pytest.raises(WorkspaceError, match="'repos' occurs twice"):
        load('{"schemaVersion": 1, "repos": [], "repos": []}')


def test_identities_are_those_written_down(tmp_path: Path) -> None:
    """Other programs compute them too: SHA-256 over sorted JSON without blanks."""
    roots = [Path("/srv/code/My Service"), Path("/srv/code/api")]
    repos = tuple(
        replace(repo(root.name), repo_id=repo_id(root), root_canonical=root) for root in roots
    )
    members = ",".join(
        f'{{"repoId":"{item.repo_id}","repoRootCanonical":"{item.root_canonical}"}}'
        for item in sorted(repos, key=lambda item: item.repo_id)
    )
    spelled = f'{{"repos":[{members}],"schemaVersion":1,"v":1}}'

    assert [item.repo_id for item in repos] == IDS
    assert repo_set_id(repos) == "ws1-" + sha256(spelled.encode()).hexdigest()
    assert repo_set_id(repos) == repo_set_id(repos[::-1])


def test_the_configuration_s_hash_moves_with_every_edit_that_means_something(
    load: Callable[..., Workspace],
) -> None:
    """A cache that knows it need not know the file."""
    dressed = [
        body(),
        body(more='"name": "n",'),
        body(more='"cacheRoot": "c",'),
        body(more='"defaults": {"priority": 1},'),
        body(more='"merge": {"strategy": "global"},'),
        body('{"root": "../alpha", "alias": "a"}'),
        body('{"root": "../alpha", "priority": 1}'),
        body('{"root": "../alpha", "enabled": false}'),
        body('{"root": "../alpha", "tags": ["t"]}'),
        body('{"root": "../beta"}'),
    ]
    same = ["// words\n" + body(), body('{"root": "../alpha/src", "tags": []}')]
    two = ('{"root": "../alpha"}', '{"root": "../beta"}')

    assert len({load(text).workspace_config_hash for text in dressed}) == len(dressed)
    assert {load(text).workspace_config_hash for text in same} == {
        load(body()).workspace_config_hash
    }
    assert (
        len({load(body(", ".join(each))).workspace_config_hash for each in (two, two[::-1])}) == 1
    )


def test_repo_set_id_sees_the_set_and_nothing_else(load: Callable[..., Workspace]) -> None:
    """Renaming or reordering must not orphan what was kept for the set."""
    plain = load(body('{"root": "../alpha"}, {"root": "../beta"}'))
    dressed = load(
        body('{"root": "../beta/src", "alias": "b", "enabled": false}, {"root": "../link"}')
    )
    other = load(body('{"root": "../alpha"}'))

    assert plain.repo_set_id == dressed.repo_set_id != other.repo_set_id
    assert plain.workspace_config_hash != dressed.workspace_config_hash
    assert plain.repo_set_id.startswith("ws1-")
    assert len(plain.repo_set_id) == 4 + 64
    assert plain.workspace_config_hash.startswith("wsc1-")


def test_the_resolved_object_has_every_field(load: Callable[..., Workspace]) -> None:
    result = resolved_object(load(body()))

    assert set(result) == {
        *("schemaVersion", "workspacePath", "workspaceDir", "name", "cacheRoot", "defaults"),
        *("repos", "repoSetId", "workspaceConfigHash"),
    }
    assert stable_json.dumps(result)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.jsonc")), ids=lambda path: path.name)
def test_the_shipped_examples_are_valid_but_for_their_roots(path: Path) -> None:
    with pytest.raises(WorkspaceError) as caught:
        load_workspace(path, resolve_root=top_of, whole=True)

    assert {issue.code for issue in caught.value.issues} == {"ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"}
    assert parse_text(path.read_text(), path)["merge"] == {"strategy": "global"}


def test_aliases_are_equal_in_every_alphabet_s_own_way(load: Callable[..., Workspace]) -> None:
    text = '{"root": "../alpha", "alias": "Straße"}, {"root": "../beta", "alias": "STRASSE"}'

    assert problems(load, body(text)) == [(SAME_ALIAS, "$.repos[1].alias", "duplicate")]


def test_as_many_repositories_as_are_read_are_read() -> None:
    """The bound itself is no mistake, one more is."""
    value = {"schemaVersion": 1, "repos": [{"root": f"r{n}"} for n in range(MAX_REPOS)]}
    more = {**value, "repos": [*value["repos"], {"root": "more"}]}

    assert len(validate(value, "w.jsonc", lambda _: None).entries) == MAX_REPOS
    with pytest.raises(WorkspaceError, match="maximum"):
        validate(more, "w.jsonc", lambda _: None)


def test_who_is_missing_is_noted_and_the_others_stay(load: Callable[..., Workspace]) -> None:
    """One moved folder must not take the answers of all others along."""
    roots = ("../alpha", "../gone", "../file.txt", "a\\u0000b")
    repos = ", ".join(f'{{"root": "{root}"}}' for root in roots)
    workspace = load(body(repos), whole=False)

    alpha, gone, file, odd = workspace.repos
    assert alpha.missing is None
    assert alpha.failure is None
    assert gone.missing == "root '../gone': the directory does not exist"
    assert file.missing == "root '../file.txt' is not a directory"
    assert odd.missing
    assert {each.failure.code for each in (gone, file, odd) if each.failure} == {
        "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
    }


def test_a_missing_repository_keeps_its_name(
    load: Callable[..., Workspace], tmp_path: Path
) -> None:
    both = body('{"root": "../alpha"}, {"root": "../beta"}')
    before = load(both)
    (tmp_path / "beta").rename(tmp_path / "elsewhere")
    after = load(both, whole=False)

    assert [each.repo_id for each in after.repos] == [each.repo_id for each in before.repos]
    assert after.repo_set_id == before.repo_set_id
    assert after.workspace_config_hash == before.workspace_config_hash


def test_two_entries_of_one_missing_root_are_a_mistake(load: Callable[..., Workspace]) -> None:
    """It is one whether or not the disk is there."""
    with pytest.raises(
        WorkspaceError, check=lambda error: error.code == "ERR_WORKSPACE_DUPLICATE_REPO_ROOT"
    ):
        load(body('{"root": "../gone"}, {"root": "../alpha/../gone"}'), whole=False)


def test_an_unreadable_root_is_missing(
    load: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggrep.federation.workspace.os.access", lambda *_: False)

    assert (
        load(body(), whole=False).repos[0].missing
        == "root '../alpha': the directory is not readable by this user"
    )

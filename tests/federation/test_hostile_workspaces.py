"""Workspace files made to hurt: each is loaded or refused by name, and soon."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base.errors import WorkspaceError
from ggrep.config.root import canonical_root
from ggrep.federation.containment import canonical_path, is_canonical, is_inside
from ggrep.federation.jsonc import JsoncError, scan
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_text import _parse
from tests.fakes.processor_time import quickest_s

MOST_BYTES = 2048
CPU_MS = 100
root_of = canonical_root

VALID = (
    b"""// three services
{
  "schemaVersion": 1, "name": "farm \\ud83d\\ude00", "cacheRoot": "../cache",
  "defaults": { "enabled": true, "priority": 0, "tags": ["active"] },
  "merge": { "strategy": "global", "rrfK": 60 },
  "repos": [
    { "root": "../alpha", "alias": "Alpha", "priority": 10, "tags": ["Core", "api"] }, /* x */
    { "root": "../beta", "alias": null, "enabled": false, },
  ],
}
""",
    b'{"schemaVersion":1,"repos":[{"root":"../alpha"},{"root":"../beta","tags":[]}]}',
    b'{"schemaVersion":1,"repos":['
    + b",".join(
        b'{"root":"../many/r%d","alias":"a%d","tags":["t%d"]}' % (n, n, n % 3) for n in range(24)
    )
    + b"]}",
)
VALUES = (
    *("null", "true", "false", "[]", "{}", '""', "0", "-0", "1.5", "1e400", "-1e308", "9" * 400),
    *("9007199254740993", "0x10", "NaN", "-Infinity", "[" * 70, "[" * 60 + "]" * 60, '{"a":' * 70),
    *('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '"e\\u0301"', '"K"'),
    *(
        '"\\uD83D\\uDE00"',
        "// */",
        "/*",
        "*/",
        "/*/",
        "//\u2028",
        "/**/",
        "'",
        '"',
        "\\",
        ",",
        ",,",
    ),
    *(":", "\ufeff", "\0", "\r", "\u2028", "\u00a0", "\u200b", "//\r", '"a" "b"', '"root"'),
    *('"repos"', '"__proto__"'),
)
PATHS = (
    *("", ".", "..", "/", "//", "../" * 200, "../alpha/..", "../alpha/../beta", "..\\\\alpha"),
    *("../gone", "../file.txt", "../file.txt/x", "../fifo", "../device", "../loop", "../loop/x"),
    *("../link", "../link/../beta", "../dangling", "../closed/x", "../chain", "~", "$HOME"),
    *("a\\u0000b", "/proc/self/root", "/proc/self/cwd", "/proc/self/fd/0", "/proc/self/mem"),
    *("/dev/zero", "/dev/stdin", "/sys", "a" * 256, "a/" * 900, "../ALPHA", "../alpha\\n"),
    *(" ../alpha ", "\\u202e", "../esc\\u001b[31m", "file:///etc", "//alpha", "../alpha/.git"),
    *("../alpha/src", "-rf"),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with good roots beside all kinds of bad ones."""
    for name in ("alpha", "beta", *(f"many/r{number}" for number in range(24))):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").touch()
    for name in ("ws", "alpha/src", "esc\x1b[31m", "closed"):
        (tmp_path / name).mkdir()
    (tmp_path / "file.txt").touch()
    os.mkfifo(tmp_path / "fifo")
    links = {"device": "/dev/zero", "loop": "loop", "link": "alpha", "dangling": "gone"}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    for number in range(50):
        (tmp_path / f"chain{number}").symlink_to(f"chain{number + 1}")
    (tmp_path / "chain").symlink_to("chain0")
    return tmp_path


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def spans(data: bytes) -> list[tuple[int, int]]:
    text = data.decode()
    try:
        return [(token.start, token.end) for token in scan(text) if token.kind != "space"]
    except JsoncError:
        return [(0, len(text))]


def tokens_changed(data: bytes, chance: random.Random) -> bytes:
    text = data.decode()
    for _ in range(chance.randint(1, 3)):
        start, end = chance.choice(spans(text.encode()))
        piece = text[start:end]
        number = chance.randrange(3)
        text = (
            text[:start]
            + chance.choice(("", piece * 2, piece * 40))[: 900 * (number + 1)]
            + text[end:]
        )
    return text.encode()


def spliced(data: bytes, chance: random.Random) -> bytes:
    other = chance.choice(VALID)
    start, end = sorted(chance.randrange(len(other)) for _ in range(2))
    at = chance.randrange(len(data))
    return data[:at] + other[start:end] + data[at + chance.randrange(40) :]


def swapped(data: bytes, chance: random.Random) -> bytes:
    text = data.decode()
    start, end = chance.choice(spans(data))
    return (text[:start] + chance.choice(VALUES) + text[end:]).encode()


def rerooted(data: bytes, chance: random.Random) -> bytes:
    wrong = chance.choice(PATHS).encode()
    return data.replace(
        b"../" + chance.choice((b"alpha", b"beta", b"many/r1")), wrong, chance.randint(1, 2)
    )


def inserted(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.choice(VALUES).encode(errors="surrogatepass") + data[at:]


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flipped,
    tokens_changed,
    spliced,
    swapped,
    rerooted,
    inserted,
)


def hostile(seed: int) -> bytes:
    """Return the file of one seed, at most `MOST_BYTES` long."""
    chance = random.Random(seed)
    data = chance.choice(VALID)
    return chance.choice(MUTATIONS)(data, chance)[:MOST_BYTES]


def check_loaded(workspace: Workspace, place: Path) -> None:
    roots = [repo.root_canonical for repo in workspace.repos]
    assert len({repo.repo_id for repo in workspace.repos}) == len(roots) == len(set(roots)) > 0
    assert all(root.is_dir() and canonical_path(root) == root for root in roots)
    assert Path("/") not in roots
    named = [repo.alias.casefold() for repo in workspace.repos if repo.alias is not None]
    assert len(set(named)) == len(named)
    assert workspace.workspace_dir == place / "ws"


def check_refused(error: WorkspaceError) -> None:
    for issue in error.issues:
        assert issue.code.startswith("ERR_WORKSPACE_")
        assert issue.field.startswith("$")
        assert issue.reason
        assert issue.message.isprintable() or "\u200b" in issue.message
        assert issue.message.encode()


def check_seeds(seeds: range, place: Path, cpu_ms: float) -> tuple[int, int]:
    """Load the file of each seed; return how many were loaded and how many refused."""
    path = place / "ws" / "w.jsonc"
    loaded = refused = 0
    for seed in seeds:
        path.write_bytes(hostile(seed))
        try:
            workspace = load_workspace(path, resolve_root=root_of, whole=True)
        except WorkspaceError as error:
            refused += 1
            check_refused(error)
        else:
            loaded += 1
            check_loaded(workspace, place)
        took_ms = quickest_ms(path, cpu_ms)
        assert took_ms < cpu_ms, f"seed {seed} took {took_ms:.0f} ms"
    return loaded, refused


def quickest_ms(path: Path, enough_ms: float) -> float:
    """Return the CPU time that loading takes."""

    def loaded() -> None:
        _parse.cache_clear()
        load_workspace(path, resolve_root=root_of, whole=True)

    return quickest_s(loaded, enough_ms / 1000, tries=5, refusal=WorkspaceError) * 1000


@pytest.mark.slow
def test_mutated_files_are_loaded_or_refused_by_name_and_soon(place: Path) -> None:
    loaded, refused = check_seeds(range(50), place, CPU_MS)

    assert loaded > 2
    assert refused > 30


@pytest.mark.deep
def test_ten_times_as_many_mutated_files_are_loaded_or_refused(place: Path) -> None:
    loaded, refused = check_seeds(range(500, 5500), place, 3 * CPU_MS)

    assert loaded > 200
    assert refused > 3000


@pytest.mark.parametrize("root", PATHS)
def test_each_trick_with_a_path_ends_in_a_directory_or_a_refusal(place: Path, root: str) -> None:
    path = place / "ws" / "w.jsonc"
    path.write_text(f'{{"schemaVersion": 1, "repos": [{{"root": "{root}"}}]}}')

    try:
        workspace = load_workspace(path, resolve_root=root_of, whole=True)
    except WorkspaceError as error:
        check_refused(error)
        result = error.code
    else:
        check_loaded(workspace, place)
        result = ""

    if "REPO_ROOT" in result:
        assert load_workspace(path, resolve_root=root_of).repos[0].missing
    assert result in {
        *("", "ERR_WORKSPACE_INVALID_SHAPE", "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"),
        *("ERR_WORKSPACE_REPO_ROOT_NOT_DIRECTORY", "ERR_WORKSPACE_PARSE_FAILED"),
    }


def test_a_message_shows_no_escape_sequence_of_a_root(place: Path) -> None:
    path = place / "ws" / "w.jsonc"
    entry = '{"root": "../esc\\u001b[31m"}'
    path.write_text(f'{{"schemaVersion": 1, "repos": [{entry}, {entry}]}}')

    with pytest.raises(WorkspaceError) as caught:
        load_workspace(path, resolve_root=root_of, whole=True)

    assert caught.value.code == "ERR_WORKSPACE_DUPLICATE_REPO_ROOT"
    assert "\x1b" not in str(caught.value)


def test_a_root_that_became_a_link_is_seen_as_one(place: Path) -> None:
    """Between check and use another directory must not take an allowed one's place."""
    path = place / "ws" / "w.jsonc"
    path.write_text('{"schemaVersion": 1, "repos": [{"root": "../alpha"}, {"root": "../many/r1"}]}')
    alpha, many = load_workspace(path, resolve_root=root_of, whole=True).repos
    secret = place / "beta"
    assert is_canonical(alpha.root_canonical)
    assert is_canonical(many.root_canonical)

    (place / "alpha").rename(place / "moved")
    (place / "alpha").symlink_to(secret)
    (place / "many").rename(place / "others")
    (place / "many").symlink_to("others")
    again = load_workspace(path, resolve_root=root_of, whole=True).repos[0]

    assert not is_canonical(alpha.root_canonical)
    assert not is_canonical(many.root_canonical)
    assert alpha.root_canonical == place / "alpha"
    assert not is_inside(canonical_path(alpha.root_canonical), place / "alpha")
    assert again.root_canonical == secret
    assert again.repo_id != alpha.repo_id

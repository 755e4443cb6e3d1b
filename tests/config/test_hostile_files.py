"""A `.ggrep.toml` from strangers: refused by file and key, or narrower than without it; at once."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from ggrep.base.errors import InvalidRequest
from ggrep.config.declarations import DECLARED
from ggrep.config.home import Home
from ggrep.config.roles import rules_of
from ggrep.config.settings import Settings, load_settings
from tests.fakes.effort import examples

FILE = ".ggrep.toml"
SIZE = 64_000
REPO_SETTABLE = {key for key, declared in DECLARED.items() if declared.says.is_set_by("r")}
NUMBERS = sorted(name for name in REPO_SETTABLE if isinstance(getattr(Settings(), name, None), int))
OPEN = {field.name for field in fields(Settings)} - REPO_SETTABLE - {"extra_ignores", "roles"}
"""What no such file may touch."""

OF_PROFILES = {"profile_include", "max_bytes_indexed", "max_store_bytes"}

BOMBS = {
    "a huge file": "#" * 70_000,
    "nested lists": f"ignore = {'[' * 30_000}{']' * 30_000}",
    "nested tables": f"structure = {'{a=' * 16_000}1{'}' * 16_000}",
    "a dotted key": f"{'.'.join('a' * 32_000)} = 1",
    "a quoted dotted key": " . ".join(['"a"'] * 10_000) + " = 1",
    "a dotted table": f"[{'.'.join('a' * 32_000)}]",
    "a dotted key in a table": f"roles = {{{'.'.join('a' * 30_000)} = 1}}",
    "a long key": f"{'a' * SIZE} = 1",
    "many keys": "\n".join(f"k{number} = 1" for number in range(7_000)),
    "a number of many digits": f"max_candidates = {'9' * SIZE}",
    "a hexadecimal one": f"max_candidates = 0x{'f' * SIZE}",
    "no number": "max_candidates = nan",
    "infinity": "query_timeout_ms = inf",
    "a date": "max_candidates = 1979-05-27",
    "NUL": "max_candidates = 1\0",
    "a byte order mark": "\ufeffmax_candidates = 1",
    "text that runs backwards": 'ignore = ["\u202egpj.exe"]',
    "an invisible key": "max_candidates\u200b = 1",
    "a key of other letters": "m\u0430x_candidates = 1",
    "a long pattern": "ignore = ['" + "a" * SIZE + "']",
    "many patterns": "ignore = [" + '"a",' * 10_000 + "]",
    "a pattern that takes back": 'ignore = ["!.env"]',
    "a deep role": "[roles]\npolicy = ['" + "{" * 1_000 + "}" * 1_000 + "']",
    "a repeating role": "[roles]\npolicy = ['" + "{a,b}" * 500 + "']",
    "a profile that is a path": '[profiles."../../x"]',
    "an encoder": 'encoder = "sentence-transformers:/evil"',
}


def load(root: Path) -> Settings:
    """Return the settings in force below a root, in a home without any."""
    return load_settings(Home(root / "no home"), root, environ={}).settings


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_made_to_hurt_is_refused_by_name(root: Path, bomb: str) -> None:
    """In a line that a person reads, and long before the test's time is over."""
    (root / FILE).write_text(BOMBS[bomb], encoding="utf-8")

    with pytest.raises(InvalidRequest) as refused:
        load(root)

    assert str(refused.value).startswith((f"{FILE}: ", f"the file {FILE} "))
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("kind", ["link", "link inside", "fifo", "directory", "socket", "device"])
def test_what_is_no_file_of_its_own_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A link may lead to a secret, a FIFO waits for ever, a device has effects."""
    file = root / FILE
    match kind:
        case "link":
            file.symlink_to("/etc/passwd")
        case "link inside":
            (root / "other.toml").touch()
            file.symlink_to("other.toml")
        case "fifo":
            os.mkfifo(file)
        case "directory":
            file.mkdir()
        case "socket":
            monkeypatch.chdir(root)
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(FILE)
        case _:
            file.symlink_to("/dev/zero")

    with pytest.raises(InvalidRequest, match=rf"^the file {FILE} cannot be read: "):
        load(root)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LEAVES = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.integers(0, 3).map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: f"{value:.3f}"),
    WORDS.map(lambda text: '"' + "".join(f"\\U{ord(each):08x}" for each in text) + '"'),
    st.sampled_from(['"../../x"', '"/etc/**"', '"!a"', '"**/**/a*b*c"', '"a{b,c}[d]"', '"docs"']),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        inner.map(lambda item: f"{{include = {item}}}"),
    ),
    max_leaves=5,
)
TABLES = st.sampled_from(
    [
        *("profiles", "profiles.p", "profiles.p.query", "roles", "ignore.x"),
        *("profiles.p.include", "profiles.p.exclude", "profiles.p.max_bytes_indexed"),
        *("profiles.p.max_file_size_bytes", "profiles.p.max_store_bytes", "profiles.p.query.mode"),
        *("profiles.p.query.top", "profiles.p.query.level", "profiles.p.view.paths"),
        *("profiles.p.view.corpora", "profiles.p.view.filters", "roles.policy", "roles.test"),
    ]
)
KEYS = st.one_of(st.sampled_from(sorted(REPO_SETTABLE)), TABLES, st.sampled_from(sorted(OPEN)))


@pytest.mark.slow
@settings(max_examples=examples(12, 100))
@given(st.lists(st.tuples(KEYS, VALUES), max_size=3))
def test_any_value_of_any_key_is_refused_or_narrows(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.getbasetemp() / "generated"
    root.mkdir(exist_ok=True)
    text = "\n".join(f"{key} = {value}" for key, value in lines)
    (root / FILE).write_text(text, encoding="utf-8")
    usual = Settings()

    try:
        result = load(root.resolve())
    except InvalidRequest as error:
        output = str(error)
        assert output.startswith((f"{FILE}: ", f"the file {FILE} "))
        named = any(part in output for key, _ in lines for part in key.split("."))
        assert named or "not valid TOML" in output
        return

    rules_of(result.roles)
    kept = OPEN - (OF_PROFILES if result.profile else set())
    assert {name: getattr(result, name) for name in kept} == {
        name: getattr(usual, name) for name in kept
    }
    assert all(getattr(result, name) <= getattr(usual, name) for name in NUMBERS)

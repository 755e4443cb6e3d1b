"""Whatever a configuration file holds, it survives the round trip or is refused untouched."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.interfaces.agents import plan
from ggrep.interfaces.agents.text_edit import JsonEntry, Piece, Refused
from tests.agents.parsed import expected, read, split
from tests.agents.test_plan import JSON, TEXT, TOML
from tests.fakes.effort import examples

_WORDS = st.sampled_from(["a", "servers", "x y", "mcpServers", "extensions", "read", "ggrep", "é"])
_COMMENTS = st.sampled_from(["", "", " /* c */", " // d\n", "\n", "\n\n  ", "\t", " /* \n */ "])
_ATOMS = st.sampled_from(
    ["1", "-2.5e3", "true", "null", '"t"', '"// no"', '"\\u00e9 {"', "[]", "{}"]
)


@st.composite
def _objects(draw: Any, depth: int = 3) -> str:
    """Draw an object in JSONC, with blanks and comments wherever they may stand."""
    gap = lambda: draw(_COMMENTS)  # noqa: E731 - a name for brevity
    members = []
    keys = draw(st.lists(_WORDS, max_size=4, unique=draw(st.integers(0, 9)) > 0))
    for key in keys:
        if depth and (key == "mcpServers" or draw(st.booleans())):
            value = draw(_objects(depth - 1))
        else:
            value = draw(_ATOMS)
        members.append(f'{gap()}"{key}"{gap()}:{gap()}{value}{gap()}')
    comma = draw(st.sampled_from(["", "", ","])) if members else ""
    return "{" + ",".join(members) + comma + gap() + "}"


_JSON = st.tuples(_COMMENTS, _objects(), _COMMENTS).map("".join)
_TOML_LINES = st.sampled_from(
    [
        "# c",
        "",
        "a = 1",
        "b = [\n  1, # one\n]",
        "[t]",
        "[mcp_servers]",
        "[mcp_servers.x]",
        'command = "y"',
        "[mcp_servers.ggrep]",
        "[[list]]",
        "d = 1979-05-27",
        "text = '''\n# >>> ggrep >>>\n'''",
        "[mcp_servers.'x.y'.env]",
        "mcp_servers.z.command = 'q'",
    ]
)


@st.composite
def _files(draw: Any) -> tuple[Piece, bytes]:
    """Draw a file and what to write into it."""
    piece = draw(st.sampled_from([JSON, JSON, JSON, TOML, TEXT]))
    if piece is JSON:
        text = draw(_JSON)
    else:
        text = "\n".join(draw(st.lists(_TOML_LINES, max_size=9)))
        text += draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(['"', "{", "}", "\x00", ":", ","])) + text[at:]
    if draw(st.integers(0, 3)) == 0:
        text = text.replace("\n", "\r\n")
    mark = "\ufeff" if draw(st.integers(0, 4)) == 0 else ""
    return piece, (mark + text).encode()


@settings(max_examples=examples(30, 600))
@given(_files())
def test_it_survives_or_is_refused(file: tuple[Piece, bytes]) -> None:
    """A configuration is worth more than an entry in it."""
    piece, old = file
    try:
        done = plan.install(old, piece)
    except Refused:
        return
    assert done.data is not None
    if done.state != "written":
        assert done.data == old
        return
    ours, rest = split(read(done.data, piece), piece)

    assert ours == expected(piece)
    assert repr(rest) == repr(split(read(old, piece), piece)[1])
    assert plan.uninstall(done.data, piece, done.edit).data == old
    assert plan.install(done.data, piece, done.edit).state == "unchanged"
    assert (
        b"\r\n" not in old
        or b"\n" not in done.data.replace(b"\r\n", b"")
        or b"\n" in (old.replace(b"\r\n", b""))
    )


@settings(max_examples=examples(20, 300))
@given(_files(), st.integers(0, 2**32))
def test_what_the_user_does_meanwhile_stays(file: tuple[Piece, bytes], seed: int) -> None:
    """A line is added somewhere; ours goes and theirs stays, or nothing is touched."""
    piece, old = file
    try:
        done = plan.install(old, piece)
        assert done.data is not None
        lines = done.data.splitlines(keepends=True)
        at = seed % (len(lines) + 1)
        theirs = b"// theirs\n" if isinstance(piece, JsonEntry) else b"# theirs\n"
        mine = b"".join([*lines[:at], theirs, *lines[at:]])
        before = split(read(mine, piece), piece)[1]
        bare = plan.uninstall(mine, piece, done.edit)
    except (Refused, ValueError):
        return
    if bare.state != "removed":
        assert bare.data == mine
        return

    assert bare.data is not None
    assert repr(split(read(bare.data, piece), piece)[1]) == repr(before)
    assert theirs.strip() in bare.data or theirs not in mine

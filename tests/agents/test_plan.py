"""Plans of an installation, and the texts that agents read."""

import re

import pytest
import yaml

from ggrep import __version__
from ggrep.interfaces.agents import instructions, plan
from ggrep.interfaces.agents.clients import CLIENTS, ConfigFile
from ggrep.interfaces.agents.text_edit import JsonEntry, Piece, Refused, WholeFile
from ggrep.interfaces.mcp.tools import TOOLS
from tests.agents.parsed import START, TARGETS, expected, read, split
from tests.contract.agent_files import held, wanted

PIECES = {name: target.make(START) for name, (_, target) in TARGETS.items()}
JSON = CLIENTS["claude"].user[0].make(START)
TOML = CLIENTS["codex"].user[0].make(START)
TEXT = CLIENTS["codex"].user[1].make(START)
FORMATS = [("json", JSON), ("toml", TOML), ("text", TEXT)]
GOOD: dict[str, list[bytes]] = {
    "json": [
        b"",
        b"\n",
        b"{}",
        b"{}\r\n",
        b"\xef\xbb\xbf{}\n",
        b"// nothing yet",
        b"{ /* none */ }",
        b"{ // none\n}",
        b'{"a": 1}',
        b'{"a": [1, 2], }',
        b'{\n\t"mcpServers": {},\n}\n',
        b'{"mcpServers": {"x": {}}, "z": null}',
        b'{\r\n  "b": 1, // why\r\n  "mcpServers": {\r\n    "x": {} // own\r\n  }\r\n}',
        b'{\n  "mcpServers": {\n    // first\n    "x": {"url": "a//b"}, /* c */ // d\n  },\n}\n',
        b'{\n  "a": 1 /* last */}',
        b'{\n    "mcpServers":\n    {\n        "x": {}\n    }\n}',
        '{"näme": "\u2028 ☃"}'.encode(),
        b'{"mcpServers": {"deep": {"mcpServers": {"ggrep": 1}}}}',
    ],
    "toml": [
        b"",
        b"# none",
        b"a = 1",
        b"a = 1\r\nb = nan\r\n",
        b'[mcp_servers.x]\ncommand = "y" # own\n',
        b"[mcp_servers]\nx = { command = 'y' }\n\n\n",
        b'text = """\n[mcp_servers.ggrep]\n"""\n',
    ],
    "text": [
        b"",
        b"# Us\n",
        b"# Us",
        b"# Us\r\n\r\nWords.\r\n",
        b"\xef\xbb\xbf# Us\n\n\n",
    ],
}
BAD: dict[str, list[bytes]] = {
    "json": [
        b"{",
        b"[]",
        b"null",
        b'{"a": 1, "a": 2}',
        b'{"mcpServers": []}',
        b'{"mcpServers": null}',
        b"{'a': 1}",
        b'{"a" 1}',
        b'{"a": 1}}',
        b"\xff\xfe{\x00}\x00",
        b"{" + b'"a":{' * 100 + b"}" * 101,
    ],
    "toml": [
        b"a = ",
        b"a = 1\na = 2\n",
        b"mcp_servers = 1\n",
        b"mcp_servers = { x = {} }\n",
        b"[[mcp_servers]]\n",
        b"\xff",
    ],
    "text": [b"\xff", b"<!-- >>> ggrep >>> -->\n", b"<!-- <<< ggrep <<< -->\n"],
}


def cases(table: dict[str, list[bytes]]) -> list[tuple[Piece, bytes]]:
    return [(piece, data) for name, piece in FORMATS for data in table[name]]


def installed(old: bytes | None, piece: Piece) -> plan.Planned:
    done = plan.install(old, piece)
    assert done.state == "written"
    assert done.data is not None
    assert done.edit is not None
    return done


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_file_that_was_not_there_is_gone_again(piece: Piece) -> None:
    done = installed(None, piece)
    assert done.data is not None

    assert plan.uninstall(done.data, piece, done.edit).data is None
    assert split(read(done.data, piece), piece)[0] == expected(piece)


@pytest.mark.parametrize(("piece", "old"), cases(GOOD))
def test_a_file_has_its_former_bytes_again(piece: Piece, old: bytes) -> None:
    """Comments, order, indentation, ends of lines, a mark at the beginning: all of it."""
    done = installed(old, piece)
    assert done.data is not None
    ours, rest = split(read(done.data, piece), piece)

    assert plan.uninstall(done.data, piece, done.edit) == plan.Planned("removed", old, None)
    assert ours == expected(piece)
    assert repr(rest) == repr(split(read(old, piece), piece)[1])
    assert (b"\r\n" in old) <= (b"\n" not in done.data.replace(b"\r\n", b""))


@pytest.mark.parametrize(("piece", "old"), cases(GOOD))
def test_a_second_installation_changes_nothing(piece: Piece, old: bytes) -> None:
    done = installed(old, piece)

    assert plan.install(done.data, piece, done.edit).state == "unchanged"
    assert plan.install(done.data, piece).data == done.data


@pytest.mark.parametrize(("piece", "old"), cases(GOOD))
def test_it_goes_without_what_was_remembered(piece: Piece, old: bytes) -> None:
    """Somebody else may have committed it: all that it says goes, and nothing else."""
    done = installed(old, piece)
    bare = plan.uninstall(done.data, piece)
    left = bare.data or b""

    assert bare.state == "removed"
    assert plan.find(left.decode(), piece) is None
    assert repr(split(read(left, piece), piece)[1]) == repr(split(read(old, piece), piece)[1])


@pytest.mark.parametrize(("piece", "old"), cases(BAD))
def test_what_cannot_be_understood_is_refused(piece: Piece, old: bytes) -> None:
    """A guess would cost somebody their configuration."""
    with pytest.raises(Refused) as refused:
        plan.install(old, piece)

    assert 5 < len(str(refused.value)) < 200


def other(piece: Piece) -> Piece:
    """Return what another build would have written."""
    match piece:
        case JsonEntry():
            return JsonEntry(piece.keys, {**piece.value, "command": "/old/ggrep"})
        case WholeFile():
            return WholeFile("old\n")
        case _:
            return type(piece)(
                **{
                    name: getattr(piece, name)
                    for name in piece.__struct_fields__
                    if name != "lines"
                },
                lines=older(piece.lines),
            )


def older(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        line.replace('"ggrep"', '"/old/ggrep"').replace("## Finding", "## Looking for")
        for line in lines
    )


@pytest.mark.parametrize(
    ("piece", "old"),
    [
        *((piece, None) for piece in PIECES.values()),
        *((piece, b"") for piece in PIECES.values() if not isinstance(piece, WholeFile)),
    ],
)
def test_an_entry_of_an_earlier_build_is_rewritten_when_asked(
    piece: Piece, old: bytes | None
) -> None:
    before = installed(old, other(piece))
    left = plan.install(before.data, piece, before.edit)
    fresh = plan.install(before.data, piece, before.edit, refresh=True)

    assert (left.state, left.data) == ("differs", before.data)
    assert fresh.state == "written"
    assert fresh.data == installed(old, piece).data
    assert plan.uninstall(fresh.data, piece, fresh.edit).data == old
    assert plan.uninstall(before.data, piece, before.edit).data == old


@pytest.mark.parametrize(("piece", "old"), cases(GOOD))
def test_what_the_user_changed_since_is_left(piece: Piece, old: bytes) -> None:
    done = installed(old, piece)
    assert done.data is not None
    theirs = done.data.replace(b'"mcp"', b'"mcp", "--log"')
    theirs = theirs.replace(b"use ggrep", b"never use ggrep")

    assert theirs != done.data
    assert plan.uninstall(theirs, piece, done.edit).data == theirs
    assert plan.uninstall(theirs, piece, done.edit).state == "changed"
    assert plan.install(theirs, piece, done.edit, refresh=True).data == theirs
    assert plan.install(theirs, piece, done.edit).state == "differs"


def test_other_servers_that_came_since_stay() -> None:
    done = installed(None, JSON)
    assert done.data is not None
    theirs = done.data.replace(b'"mcpServers": {', b'"mcpServers": {\n    "x": {"command": "y"},')
    bare = plan.uninstall(theirs, JSON, done.edit).data

    assert bare == b'{\n  "mcpServers": {\n    "x": {"command": "y"}\n  }\n}\n'


def test_an_entry_that_a_client_wrote_anew_goes_too() -> None:
    """Clients rewrite their file whole: the same values with other blanks."""
    done = installed(b'{"a": 1}', JSON)
    assert done.data is not None
    text = (
        b'{\n "a": 2,\n "mcpServers": {\n  "ggrep": {\n   "args": [\n    "mcp"\n   ],\n'
        b'   "command": "ggrep",\n   "type": "stdio"\n  }\n }\n}'
    )

    assert plan.uninstall(text, JSON, done.edit).data == b'{\n "a": 2\n}'


CODEX = b"""model = "x" # own

[mcp_servers.ggrep]
command = "ggrep"
args = ["mcp"]

# theirs
[mcp_servers.other]
command = "true"
# <<< ggrep <<<
[tail]
"""


def test_a_table_that_codex_wrote_anew_goes_too() -> None:
    """It loses one of the markers, and moves the other behind the server that it adds."""
    done = installed(b'model = "x" # own\n', TOML)

    assert plan.install(CODEX, TOML, done.edit).state == "unchanged"
    assert plan.uninstall(CODEX, TOML, done.edit).data == (
        b'model = "x" # own\n\n# theirs\n[mcp_servers.other]\ncommand = "true"\n[tail]\n'
    )


@pytest.mark.parametrize(
    "theirs", [b"args = []", b'args = ["mcp"] # own', b'args = ["mcp"]\nenv = {}', b"# c"]
)
def test_a_table_that_was_changed_is_left(theirs: bytes) -> None:
    """A comment is a change as well: somebody wrote it."""
    done = installed(b"", TOML)
    text = CODEX.replace(b'args = ["mcp"]', theirs, 1)

    assert plan.uninstall(text, TOML, done.edit).state == "changed"


def test_a_marker_in_a_string_is_no_marker() -> None:
    """Taking it out would change what the string says; nothing is changed then."""
    table = b'[mcp_servers.ggrep]\ncommand = "ggrep"\nargs = ["mcp"]\n'
    text = table + b'[x]\ntext = """\n# <<< ggrep <<<\n"""\n'

    with pytest.raises(Refused, match="cannot be separated"):
        plan.uninstall(text, TOML)


def test_a_file_with_the_name_of_ours_is_not_taken() -> None:
    """A skill of that name may be somebody's own."""
    piece = WholeFile("ours\n")

    assert plan.install(b"theirs\n", piece).state == "differs"
    assert plan.uninstall(b"theirs\n", piece).state == "changed"


def test_every_client_has_files_and_each_tool_is_there() -> None:
    assert len(CLIENTS) == 14
    assert all(client.user and client.project for client in CLIENTS.values())
    assert all(isinstance(target, ConfigFile) for _, target in TARGETS.values())

    *_, tools = instructions.INSTRUCTIONS.split("as tools:")
    named = re.findall(r"`(\w+)`", tools)

    assert len(named) == 10
    assert set(named) <= {tool.name for tool in TOOLS}
    assert held() == wanted()
    assert held()["marketplace/plugins/ggrep/skills/ggrep/SKILL.md"] == instructions.skill_text()


def test_heads_are_yaml() -> None:
    """A skill whose head cannot be read is not offered."""
    for text in (
        instructions.skill_text(),
        instructions.agent_text(),
        instructions.rule_text({"applyTo": "**"}),
    ):
        head = yaml.safe_load(text.split("---\n")[1])
        assert all(isinstance(value, str) for value in head.values())
        assert text.endswith(instructions.INSTRUCTIONS)
    assert yaml.safe_load(instructions.skill_text().split("---\n")[1])["name"] == "ggrep"
    assert f'"version": "{__version__}"' in instructions.registry_text(__version__)

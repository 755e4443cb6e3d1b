"""Open and edited buffers, checks, and what may go away while the server runs."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ggrep.base import stable_json
from ggrep.protocol.client.daemon_files import running
from tests.lsp.conftest import Editor, editing
from tests.lsp.marked import OTHER, Marks, unmarked
from tests.mcp.processes import Settled, settled

pytestmark = pytest.mark.slow

CANCELLED = -32800
SHARED = pytest.mark.asyncio(loop_scope="module")
"""Of tests that share an editor."""


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        ("utf-8", 14),
        pytest.param("utf-16", 11, marks=pytest.mark.deep),
        pytest.param("utf-32", 10, marks=pytest.mark.deep),
        pytest.param("", 11, marks=pytest.mark.deep),
    ],
)
async def test_each_encoding_is_negotiated(place: Settled, encoding: str, column: int) -> None:
    """In a file with a byte order mark, CR LF, a form feed and an astral character."""
    file = place.root / "odd/wide.py"
    offered = ["latin-1", encoding] if encoding else []
    async with editing(place, [place.root], encodings=offered) as editor:
        uses = await editor.references(file, 0, 5)
        leads = await editor.definition(file, 2, column + 3)

    assert editor.capabilities.position_encoding == (encoding or "utf-16")
    assert [each.range for each in uses] == [
        types.Range(types.Position(2, column), types.Position(2, column + 9))
    ]
    assert [each.range.start for each in leads] == [types.Position(0, 4)]


@SHARED
async def test_unsaved_edits_move_places(place: Settled, editor: Editor, marks: Marks) -> None:
    """A new line moves those below it; a usage whose line was edited is left out, and said so."""
    file, defined = place.root / "py/teller.py", marks.defined["fetch_balance"]
    editor.open(file)
    editor.edit(file, types.Range(types.Position(1, 0), types.Position(1, 0)), "# é\n\x0c\n")
    moved = await editor.references(place.root / defined.path, *defined[1:])
    inside = await editor.definition(file, 8, 14)
    editor.edit(file, types.Range(types.Position(8, 4), types.Position(8, 9)), "return")
    left = await editor.references(place.root / defined.path, *defined[1:])
    editor.client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(file.as_uri()))
    )
    again = await editor.references(place.root / defined.path, *defined[1:])

    assert [each.range.start.line for each in moved] == [3, 8]
    assert [each.range.start.line for each in inside] == [defined.line]
    assert [each.range.start.line for each in left] == [3]
    assert "fetch_balance: 1 usages left out" in editor.log
    assert [each.range.start.line for each in again] == [1, 6]


@pytest.mark.deep
async def test_a_buffer_that_has_no_file(place: Settled, marks: Marks) -> None:
    """Its names lead into the repository, also from a new directory; it has no symbols."""
    file = place.root / "py/new.py"
    async with editing(place, [place.root]) as editor:
        document = editor.open(file, "audit_log()\n")
        leads = await editor.definition(file, 0, 2)
        below = place.root / "py/new/newer/one.py"
        editor.open(below, "audit_log()\n")
        leads += await editor.definition(below, 0, 2)
        symbols = await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        untitled = types.TextDocumentIdentifier("untitled:one")
        params = types.DefinitionParams(untitled, types.Position(0, 0))
        nothing = await editor.client.text_document_definition_async(params)

    assert [each.range.start.line for each in leads] == [marks.defined["audit_log"].line] * 2
    assert not symbols
    assert nothing is None


@pytest.mark.deep
async def test_a_large_file_is_edited_by_its_lines(place: Settled, marks: Marks) -> None:
    """5 MB opened, edited 200 times at its end, and asked about there; other requests go on."""
    file = place.root / "py/large.py"
    row = "value = 'x' * 40  # a line of fifty characters....\n"
    rows = 5_000_000 // len(row)
    async with editing(place, [place.root]) as editor:
        editor.open(file, row * rows)
        for typed in range(200):
            at = types.Position(rows, typed)
            editor.edit(file, types.Range(at, at), "audit_log(" if typed == 199 else " ")
        leads = await editor.definition(file, rows, 204)

    assert [each.range.start.line for each in leads] == [marks.defined["audit_log"].line]


@pytest.mark.deep
async def test_checks_become_diagnostics(place: Settled) -> None:
    """A failing check is marked, a repair that is saved unmarks it, a broken file says where."""
    file = place.root / ".ggrep-check.toml"
    check = 'version = 1\n\n[[checks]]\nid = "rates"\nquery = "interest rate"\n'
    file.write_text(check + 'expect_any = ["py/gone.py"]\n')

    async def saved(editor: Editor, text: str) -> list[types.Diagnostic]:
        file.write_text(text)
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(file.as_uri()))
        )
        await editor.client.wait_for_notification("textDocument/publishDiagnostics")
        return list(editor.client.diagnostics[file.as_uri()])

    try:
        async with editing(place, [place.root]) as editor:
            await editor.command("ggrep.check")
            failing = list(editor.client.diagnostics[file.as_uri()])
            repaired = await saved(editor, check + 'expect_any = ["py/bank.py"]\n')
            broken = await saved(editor, check + "expect_any = 3\n")
    finally:
        file.unlink()

    assert [(each.range.start.line, each.severity) for each in failing] == [
        (2, types.DiagnosticSeverity.Error)
    ]
    assert "expect_any: py/gone.py" in failing[0].message
    assert repaired == []
    assert [each.range.start.line for each in broken] == [5]


@pytest.mark.deep
async def test_a_folder_that_is_no_repository(place: Settled, tmp_path: Path) -> None:
    """Nothing is indexed there; its requests are answered by nothing, and the log says why."""
    (tmp_path / "a.py").write_text("def alone(): pass\n")
    async with editing(place, [tmp_path, Path("/"), tmp_path / "gone"]) as editor:
        leads = await editor.definition(tmp_path / "a.py", 0, 5)
        text = await editor.hover(tmp_path / "a.py", 0, 5)

    assert (leads, text) == ([], "")
    assert "not a repository" in editor.log


@pytest.mark.parametrize("asked", ["definition", pytest.param("command", marks=pytest.mark.deep)])
@SHARED
async def test_a_cancelled_request_ends_at_once(
    place: Settled, editor: Editor, marks: Marks, asked: str
) -> None:
    file, defined = place.root / "py/bank.py", marks.defined["audit_log"]
    await editor.hover(file, *defined[1:])
    daemons = [record.pid for record in running(place.home)]
    for pid in daemons:
        os.kill(pid, signal.SIGSTOP)
    try:
        if asked == "definition":
            method = "textDocument/definition"
            params: object = types.DefinitionParams(
                types.TextDocumentIdentifier(file.as_uri()), types.Position(*defined[1:])
            )
        else:
            method = "workspace/executeCommand"
            params = types.ExecuteCommandParams("ggrep.search", ["audit"])
        reply = editor.client.protocol.send_request(method, params, msg_id=asked)
        editor.client.cancel_request(types.CancelParams(asked))
        with pytest.raises(JsonRpcException) as failure:
            await asyncio.wrap_future(reply)
    finally:
        for pid in daemons:
            os.kill(pid, signal.SIGCONT)
    leads = await editor.definition(file, *defined[1:])

    assert failure.value.code == CANCELLED
    assert [each.range.start.line for each in leads] == [defined.line]


@SHARED
async def test_the_death_of_the_daemon_is_survived(
    place: Settled, editor: Editor, marks: Marks
) -> None:
    file, defined = place.root / "py/bank.py", marks.defined["audit_log"]
    before = await editor.definition(file, *defined[1:])
    for record in running(place.home):
        os.kill(record.pid, signal.SIGKILL)
    after = await editor.definition(file, *defined[1:])

    assert before == after != []


@pytest.mark.deep
async def test_a_deleted_index_is_survived() -> None:
    """The index is built again, as a first question does."""
    with settled(unmarked(OTHER)) as lost:
        file = lost.root / "lib/branch.py"
        async with editing(lost, [lost.root]) as editor:
            before = await editor.definition(file, 3, 5)
            for record in running(lost.home):
                os.kill(record.pid, signal.SIGKILL)
            shutil.rmtree(lost.home.base)
            after = await editor.definition(file, 3, 5)

    assert before == after != []


def test_standard_output_is_the_protocol_alone(place: Settled) -> None:
    """Every byte belongs to a message; what is printed meanwhile goes to standard error."""
    noisy = """
import os
from ggrep.interfaces.cli.servers.lsp import lsp
from ggrep.interfaces.lsp.server import GgrepServer

def begin(self, begin=GgrepServer.begin):
    print("noise", flush=True)
    os.system("echo more")
    begin(self)

GgrepServer.begin = begin
lsp()
"""
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": None}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "workspace/symbol", "params": {"query": "pay"}},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    data = b"".join(
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        for body in (stable_json.dumps({"jsonrpc": "2.0", **each}) for each in messages)
    )
    done = subprocess.run(
        [sys.executable, "-c", noisy],
        input=data,
        env=place.environ,
        cwd=place.root,
        capture_output=True,
        check=False,
    )

    left, ids = done.stdout, []
    while left:
        head, _, left = left.partition(b"\r\n\r\n")
        size = int(head.split(b"\r\n")[0].removeprefix(b"Content-Length: "))
        ids.append(stable_json.loads(left[:size]).get("id"))
        left = left[size:]
    assert sorted(ids) == [1, 2, 3]
    assert done.stderr.count(b"noise") == done.stderr.count(b"more") == 1
    assert done.returncode == 0

"""Definitions and usages of 50 names in five languages, by a client over real daemons."""

from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.conftest import Editor, editing
from tests.lsp.marked import Marks, Spot
from tests.mcp.processes import Settled

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


def spots(root: Path, locations: Sequence[types.Location]) -> set[Spot]:
    return {
        Spot(
            each.uri.removeprefix(f"{root.as_uri()}/"),
            each.range.start.line,
            each.range.start.character,
        )
        for each in locations
    }


async def test_definitions_and_usages_of_fifty_names(
    place: Settled, editor: Editor, marks: Marks
) -> None:
    """From a usage to the definition, and from the definition to all usages, no other place."""
    root = place.root
    assert len(marks.defined) >= 50
    missed = {}
    for name, defined in marks.defined.items():
        used = marks.used.get(name, set())
        uses = await editor.references(root / defined.path, *defined[1:])
        leads = [
            spots(root, await editor.definition(root / each.path, *each[1:]))
            for each in sorted(used)[:1]
        ]
        if spots(root, uses) != used or any(lead != {defined} for lead in leads):
            missed[name] = (spots(root, uses) ^ used, leads)
    assert not missed


async def test_a_workspace_answers_as_one(place: Settled, marks: Marks) -> None:
    """Usages in a repository whose folder is not open, and definitions from there."""
    branch = place.base / "mail/lib/branch.py"
    defined = marks.defined["Account"]
    async with editing(place, [place.root], "--workspace", str(place.workspace)) as editor:
        uses = await editor.references(place.root / defined.path, *defined[1:])
        leads = await editor.definition(branch, 0, 22)

    assert sum(each.uri == branch.as_uri() for each in uses) == 2
    assert spots(place.root, leads) == {defined}


async def test_open_folders_answer_for_each_other(place: Settled, marks: Marks) -> None:
    """Without a workspace file, a definition in the other folder is found as well."""
    branch = place.base / "mail/lib/branch.py"
    async with editing(place, [place.root, place.base / "mail"]) as editor:
        leads = await editor.definition(branch, 0, 22)

    assert spots(place.root, leads) == {marks.defined["Account"]}


async def test_a_member_of_two_types_keeps_to_its_own(
    place: Settled, editor: Editor, marks: Marks
) -> None:
    """A name behind a container is asked with it; a local of the same spelling does not count."""
    nothing = await editor.definition(place.root / "py/teller.py", 5, 5)
    outside = await editor.definition(place.base / "bare/py/bank.py", 0, 0)
    text = await editor.hover(place.root / "py/teller.py", 5, 14)

    assert nothing == outside == []
    assert "```python\ndef deposit\\_cash" not in text
    assert text.startswith("```python\ndef deposit_cash(self, amount)\n```")
    assert "method of Account, py/bank\\.py:9" in text


async def test_usages_of_a_member_leave_out_those_of_another(
    place: Settled, editor: Editor
) -> None:
    """From its definition they are asked for with the container; a usage leads to both."""
    file = place.root / "py/boxes.py"
    uses = await editor.references(file, 1, 9)
    leads = await editor.definition(file, 11, 13)

    assert [each.range.start.line for each in uses] == [11]
    assert [each.range.start.line for each in leads] == [1, 6]


async def test_names_are_read_as_their_language_has_them(place: Settled, editor: Editor) -> None:
    file = place.root / "scm/text.scm"
    uses = await editor.references(file, 0, 18)
    leads = await editor.definition(file, 1, 17)

    assert [each.range.start for each in uses] == [types.Position(1, 15)]
    assert [each.range.start for each in leads] == [types.Position(0, 9)]


@pytest.mark.parametrize("query", ["ShoppingCart", "Shopping", "compute total"])
async def test_workspace_symbols(place: Settled, editor: Editor, marks: Marks, query: str) -> None:
    """By the name, by a part of its letters, and by words that a search finds."""
    params = types.WorkspaceSymbolParams(query)
    symbols = await editor.client.workspace_symbol_async(params) or []
    none = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(""))

    wanted = "computeTotal" if query == "compute total" else "ShoppingCart"
    assert marks.defined[wanted] in spots(place.root, [each.location for each in symbols])
    assert not none


async def test_symbols_of_a_document(place: Settled, editor: Editor, marks: Marks) -> None:
    """A tree whose ranges hold each other, and whose names are where they are written."""
    path = place.root / "py/bank.py"
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(path.as_uri()))
    tree = await editor.client.text_document_document_symbol_async(params) or []

    account = next(each for each in tree if each.name == "Account")
    assert [each.name for each in account.children] == ["deposit_cash", "close_account"]
    assert account.kind is types.SymbolKind.Class
    for symbol in (account, *account.children):
        start = symbol.selection_range.start
        assert Spot("py/bank.py", start.line, start.character) == marks.defined[symbol.name]
        assert account.range.start <= symbol.range.start <= start
        assert symbol.selection_range.end <= symbol.range.end <= account.range.end


async def test_the_search_command(place: Settled, editor: Editor) -> None:
    """A question finds its code; the body of the HTTP route is taken and checked."""
    hits = await editor.command("ggrep.search", "remaining tries of a delivery")
    first = await editor.command("ggrep.search", {"query": "clamp speed", "search": {"top": 1}})
    for wrong in ([], [{"query": 3}], ["a", "b"], [{"query": "a", "root": "/"}]):
        with pytest.raises(JsonRpcException):
            await editor.command("ggrep.search", *wrong)

    assert hits[0]["uri"] == (place.root / "java/Mailer.java").as_uri()
    assert hits[0]["path"] == "java/Mailer.java"
    assert len(first) == 1
    assert first[0]["uri"] == (place.root / "rs/engine.rs").as_uri()


async def test_the_slate_command(place: Settled, editor: Editor) -> None:
    """A question gathers files and the lines of their pieces; a workspace answers as one."""
    question = "remaining tries of a delivery"
    [alone] = await editor.command("ggrep.slate", question)
    async with editing(place, [], "--workspace", str(place.workspace)) as other:
        body = {"query": question, "slate": {"level": 2, "graph": False}}
        [joined] = await other.command("ggrep.slate", body)
    for wrong in ([], [{"query": "a", "format": "hits"}]):
        with pytest.raises(JsonRpcException):
            await editor.command("ggrep.slate", *wrong)

    for answer in (alone, joined):
        files = [file for each in answer["slate"]["sections"] for file in each["files"]]
        [best] = [file for file in files if file["path"] == "java/Mailer.java"]
        assert best["uri"] == (place.root / best["path"]).as_uri()
        lines = (place.root / best["path"]).read_text().splitlines()
        for piece in best["evidence"]:
            shown = lines[piece["range"]["start"]["line"] : piece["range"]["end"]["line"] + 1]
            assert piece["snippet"].splitlines()[0] == shown[0]
        assert best["range"]["start"]["line"] == best["line"] - 1
        assert len(best["outline_ranges"]) == len(best.get("outline", ()))


async def test_other_servers_keep_their_work(place: Settled, editor: Editor) -> None:
    """Completion, formatting and renaming are claimed by nobody here."""
    capabilities = editor.capabilities
    claimed = {
        field.name
        for field in attrs.fields(types.ServerCapabilities)
        if field.name.endswith("_provider") and getattr(capabilities, field.name)
    }
    assert claimed == {
        "definition_provider",
        "document_symbol_provider",
        "execute_command_provider",
        "hover_provider",
        "references_provider",
        "workspace_symbol_provider",
    }

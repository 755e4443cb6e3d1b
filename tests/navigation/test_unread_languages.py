"""An answer about names says which languages it cannot read."""

import pytest

from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import IndexOf

FILES = {
    "a.cob": "       PROGRAM-ID. ledger.\n",
    "b.cob": "       CALL ledger.\n",
    "c.awk": "function ledger() { }\n",
    "d.tf": 'resource "aws_db" "ledger" {\n  size = 1\n}\n',
    "e.vue": "<template/>\n<script>\nfunction ledger() {}\n</script>\n",
    "f.md": "# ledger\n",
    "bin/g.t": "#!/usr/bin/env python3\ndef ledger(): pass\n",
}


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    return shared_index(FILES, encoder="none")


def test_symbol_names_the_languages_it_cannot_read(engine: Engine) -> None:
    """No definition told and no definition there are two things."""
    answer = engine.ask(SymbolRequest("ledger"))

    assert [(each.path, each.line, each.language) for each in answer.definitions] == [
        ("bin/g.t", 2, "python"),
        ("d.tf", 1, "hcl"),
        ("e.vue", 3, "vue"),
    ]
    assert [(notice.code, notice.message) for notice in answer.warnings] == [
        (
            "unread_language",
            "definitions cannot be distinguished from usages in awk (1 file), cobol (2 files): "
            "they have no parser, so all occurrences of the word count as usages",
        )
    ]


def test_so_does_refs(engine: Engine) -> None:
    """What is told as a usage there may define the name."""
    answer = engine.ask(ReferencesRequest("ledger"))

    assert [notice.code for notice in answer.warnings] == ["unread_language"]
    assert ("c.awk", "usage") in [(each.path, each.kind) for each in answer.references]


def test_a_name_that_is_read_everywhere_brings_no_warning(engine: Engine) -> None:
    """Documents and settings define nothing."""
    answer = engine.ask(SymbolRequest("aws_db"))

    assert "unread_language" not in {notice.code for notice in answer.warnings}

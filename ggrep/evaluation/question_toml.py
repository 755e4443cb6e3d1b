"""Reads how a question is put, as suites and checks write it alike."""

from typing import Final

from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.domain.corpus import CORPUS_WORDS, Mode
from ggrep.evaluation.askable import refuse_unaskable
from ggrep.evaluation.questions import DEFAULT_PER_FILE, Question
from ggrep.evaluation.toml_file import Table

MODES: Final = tuple(mode.value for mode in Mode)


def read_question(table: Table, defaults: Table, *, limit_key: str, limit: int) -> Question:
    """Return the question of a table.

    Args:
        table: its own.
        defaults: what holds where `table` says nothing.
        limit_key: what the number of hits is called.
        limit: hits asked for where neither says.

    Raises:
        UsageError: a field is wrong; it is named with its line.
    """
    corpora = table.texts("corpora", defaults.texts("corpora"))
    for word in corpora:
        if word not in CORPUS_WORDS:
            table.fail(f"corpora: {word!r} is none of {', '.join(CORPUS_WORDS)}", "corpora")
    usual = defaults.number(limit_key, limit, least=1, most=MAX_QUERY_RESULTS)
    per_file = defaults.number("per_file", DEFAULT_PER_FILE, most=MAX_QUERY_PER_FILE)
    question = Question(
        id=table.text("id"),
        query=table.text("query"),
        limit=table.number(limit_key, usual, least=1, most=MAX_QUERY_RESULTS),
        per_file=table.number("per_file", per_file, most=MAX_QUERY_PER_FILE),
        mode=table.word("mode", MODES, defaults.word("mode", MODES, Mode.BALANCED.value)),
        corpora=corpora,
        filters=table.texts("filters", defaults.texts("filters")),
    )
    refuse_unaskable(question, table, defaults)
    return question

"""Reads how a question is asked, in the syntax that suites and checks share."""

from ggrep.interfaces.evaluation.askable import refuse_unaskable
from ggrep.interfaces.evaluation.questions import DEFAULT_PER_FILE, Question
from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.model.corpus import CORPUS_WORDS, Mode


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
    usual = defaults.number(limit_key, limit)
    per_file = defaults.number("per_file", DEFAULT_PER_FILE)
    question = Question(
        id=table.text("id"),
        query=table.text("query"),
        limit=table.number(limit_key, usual),
        per_file=table.number("per_file", per_file),
        mode=table.word("mode", defaults.word("mode", Mode.BALANCED.value)),
        corpora=corpora,
        filters=table.texts("filters", defaults.texts("filters")),
    )
    refuse_unaskable(question, table, defaults)
    return question

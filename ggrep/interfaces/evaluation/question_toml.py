"""Reads how a question is asked, as suites and checks share it; refuses what no search takes."""

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.evaluation.questions import DEFAULT_PER_FILE, Question, request_of
from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.filters import check_filters, parse_filter
from ggrep.search.query.pipeline import check_request


def refuse_unaskable(question: Question, table: Table, defaults: Table) -> None:
    """Do nothing when a search would take the question.

    Args:
        question: that was read.
        table: its own; what is wrong is named with its line.
        defaults: where its filters stand when `table` has none.

    Raises:
        UsageError: the query or a filter means nothing.
    """
    try:
        check_filters(tuple(parse_filter(text) for text in question.filters))
    except InvalidRequest as error:
        place = table if table.has("filters") else defaults
        place.fail(f"filters: {error}", "filters")
    try:
        check_request(request_of(question))
    except InvalidRequest as error:
        table.fail(str(error), "query")


def refuse_second(table: Table, first_line: int) -> None:
    """Do nothing when the table is the first of its name.

    Raises:
        UsageError: the first one stands in another line.
    """
    if table.line != first_line:
        name = table.text("id")
        table.fail(f"two are named {name!r}; the first stands in line {first_line}", "id")


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

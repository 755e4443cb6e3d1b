"""Checks that all questions of a file can be asked, before asking any."""

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.evaluation.questions import Question, request_of
from ggrep.interfaces.evaluation.toml_file import Table
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

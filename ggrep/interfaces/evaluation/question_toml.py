"""Reads the TOML keys that suites and checks share: the query and the expected lines."""

import posixpath

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.evaluation.questions import DEFAULT_PER_FILE, CaseQuery, request_of
from ggrep.interfaces.evaluation.toml_file import Table
from ggrep.interfaces.evaluation.visible_lines import Choice, LineRange, line_range_of
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.filters import check_filters, parse_filter
from ggrep.search.query.pipeline import check_request


def refuse_unaskable(question: CaseQuery, table: Table, defaults: Table) -> None:
    """Raise unless the query is a valid search request."""
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
    """Raise if an earlier case or check has the same id."""
    if table.line != first_line:
        name = table.text("id")
        table.fail(
            f"two cases or checks have the name {name!r}; the first is in line {first_line}", "id"
        )


def read_question(table: Table, defaults: Table, *, limit_key: str, limit: int) -> CaseQuery:
    """Return the query that a table describes.

    Args:
        table: the table of the case or check.
        defaults: defaults for keys that `table` lacks.
        limit_key: key of the maximum number of hits.
        limit: maximum number of hits if neither table has the key.
    """
    corpora = table.texts("corpora", defaults.texts("corpora"))
    for word in corpora:
        if word not in CORPUS_WORDS:
            table.fail(f"corpora: {word!r} is not one of {', '.join(CORPUS_WORDS)}", "corpora")
    usual = defaults.number(limit_key, limit)
    per_file = defaults.number("per_file", DEFAULT_PER_FILE)
    question = CaseQuery(
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


def read_places(table: Table, key: str) -> tuple[Choice, ...]:
    """Return the expected line ranges at a key; none if the key is missing.

    A single range needs no brackets. A list inside the list contains alternatives: one suffices.
    """
    if not table.has(key):
        return ()
    value = table.data[key]
    choices = [value] if isinstance(value, str) else value
    if not isinstance(choices, list) or not choices or [] in choices:
        table.fail(f"{key} must be a list of at least one place", key)
    wanted = tuple(
        tuple(_place(table, key, each) for each in (item if isinstance(item, list) else [item]))
        for item in choices
    )
    for at, choice in enumerate(wanted):
        if choice in wanted[:at]:
            table.fail(f"{key}: {' or '.join(map(str, choice))} occurs twice", key)
    return wanted


def _place(table: Table, key: str, value: object) -> LineRange:
    place = line_range_of(value) if isinstance(value, str) else None
    if place is None:
        table.fail(f"{key}: {value!r} is not a place such as src/lock.c:120-127", key)
    path = posixpath.normpath(place.path)
    if path.startswith("/") or path.split("/")[0] in {".", ".."}:
        table.fail(f"{key}: {value!r} is outside the root; paths are relative to the root", key)
    return LineRange(path, place.first, place.last)

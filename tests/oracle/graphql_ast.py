"""What GraphQL's own parser defines, by line and name."""

from typing import Any


def names_of(document: Any) -> set[tuple[int, str]]:
    """Return what a parsed schema defines: types, directives, their fields and values.

    Args:
        document: as `graphql.language.parse` returns it.
    """
    results: set[tuple[int, str]] = set()
    for definition in document.definitions:
        members = (
            member for kind in ("fields", "values") for member in getattr(definition, kind, ())
        )
        for node in (definition, *members):
            name = getattr(node, "name", None)
            if name is not None:
                results.add((name.loc.start_token.line, name.value))
    return results

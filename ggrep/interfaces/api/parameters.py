"""The query parameters of a GET request."""

from collections.abc import Collection

from starlette.datastructures import QueryParams

from ggrep.base.errors import InvalidRequest

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def read_parameters(given: QueryParams, known: Collection[str]) -> dict[str, str]:
    """Return the parameters.

    Raises:
        InvalidRequest: one is unknown, or given twice.
    """
    items = given.multi_items()
    for name, _ in items:
        if name not in known:
            raise InvalidRequest(f"unknown parameter {name!a}; known: {', '.join(sorted(known))}")
        if [other for other, _ in items].count(name) > 1:
            raise InvalidRequest(f"{name}: given more than once")
    return dict(items)


def read_flag(parameters: dict[str, str], name: str) -> bool:
    """Return a parameter that is true or false; false where it is not given.

    Raises:
        InvalidRequest: it is neither.
    """
    text = parameters.get(name, "false")
    if text not in _FLAGS:
        raise InvalidRequest(f"{name}: must be true or false, is {text!a}")
    return _FLAGS[text]

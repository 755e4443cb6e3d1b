"""Narrowing filters as every surface writes them: `lang:python`, `-path:tests/**`."""

from ggrep.domain.request import Filter
from ggrep.errors import InvalidRequest


def parse_filter(text: str) -> Filter:
    """Return the filter that `key:value` means; a leading `-` or `!` negates it.

    Raises:
        InvalidRequest: there is no colon in it; the message quotes the text.
    """
    negated = text.startswith(("-", "!"))
    key, separator, value = text[negated:].partition(":")
    if not separator:
        raise InvalidRequest(f"{text!r} is not key:value")
    return Filter(key.strip(), value.strip(), negated)

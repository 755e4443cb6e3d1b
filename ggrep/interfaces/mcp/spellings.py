"""Other spellings of arguments: what contracts, bodies and answers call the same thing.

A client that was written after the contract sends `workspacePath`, `perRepoTop` or the whole body
of a request; an agent repeats what it read under `limits` of an answer. Each has one meaning here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.mcp.arguments import Argument

ALSO: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "top": ("top_k", "max_results", "limit"),
        "limit": ("top", "top_k", "max_symbols", "max_references"),
        "root": ("repo_root", "repo"),
        "workspace": ("workspace_path", "workspace_id"),
        "select": ("repos",),
        "tags": ("tag",),
        "filter": ("filters",),
        "merge": ("strategy",),
        "per_repo_top": ("top_per_repo",),
        "session": ("session_token", "token"),
        "max_bytes": ("max_slate_bytes", "max_expand_bytes"),
        "max_file_bytes": ("max_slate_file_bytes",),
        "max_files": ("max_slate_files",),
        "evidence": ("max_evidence_per_file",),
        "name": ("symbol",),
        "target": ("path", "file", "row_id"),
    }
)
"""By our names; all in lower case with underscores, as any spelling is read."""


def in_our_words(
    tool: str,
    arguments: Sequence[Argument],
    given: Mapping[str, object],
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, object]:
    """Return what was given under our names; values are not looked at.

    Args:
        tool: who is called.
        arguments: all that it takes.
        given: by any spelling; an object stands for a part of a request's body.
        elsewhere: tools that take an argument, by its name.

    Raises:
        InvalidRequest: a name is nobody's, or two of them mean the same and differ.
    """
    spelt: dict[str, str] = {}
    found: dict[str, object] = {}
    parts = {each.place[0] for each in arguments if len(each.place) > 1}
    for said, value in _flat(arguments, given):
        name = _ours(said, arguments)
        if name is None and said in parts:
            raise InvalidRequest(f"{tool}: {said} must be an object, is {value!a:.80}")
        if name is None:
            raise InvalidRequest(_unknown(tool, said, arguments, elsewhere))
        if value is None and name in found:
            continue
        if found.get(name) is not None and found[name] != value:
            raise InvalidRequest(f"{tool}: {spelt[name]} and {said} are the same; give one of them")
        spelt[name], found[name] = said, value
    return found


def _flat(
    arguments: Sequence[Argument], given: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield names and values by name; of an object those in it, dots between the keys."""
    heads = {one.place[0] for one in arguments if len(one.place) > 1}
    for name in sorted(given):
        value = given[name]
        if isinstance(value, Mapping) and name in heads:
            yield from ((f"{name}.{key}", each) for key, each in sorted(value.items()))
        else:
            yield name, value


def _ours(said: str, arguments: Sequence[Argument]) -> str | None:
    """Return the argument that a spelling means; None for none."""
    named = {one.name for one in arguments}
    if "." in said:
        meant = (each for each in arguments if said in {".".join(each.place), *each.also})
        return next((each.name for each in meant), None)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", said).lower().replace("-", "_")
    if said in named or plain in named:
        return said if said in named else plain
    return next((name for name, also in ALSO.items() if name in named and plain in also), None)


def _unknown(
    tool: str, said: str, arguments: Sequence[Argument], elsewhere: Mapping[str, str]
) -> str:
    known = [one.name for one in arguments]
    if tools := elsewhere.get(said):
        meant = f", which is one of {tools}"
    else:
        close = get_close_matches(said.rpartition(".")[2], known, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
    return f"{tool}: unknown argument {said!a:.80}{meant}; it takes {', '.join(known)}"

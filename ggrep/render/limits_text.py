"""Renders a line about the limits that cut an answer, and options to see more.

Example:
cut: 28 of 40 files that match, text of 3 files; more: --max-files 40 --file-bytes 16384
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from msgspec import Struct, to_builtins

from ggrep.model.limits import LimitHit
from ggrep.render.page import plural

_Object: TypeAlias = Mapping[str, Any]

_ANY: Final = "N"
"""Placeholder for an unknown value."""
_MOST_NAMED: Final = 3
"""Maximum number of limits that the line names; JSON contains all limits."""


class _Cut(Struct, frozen=True):
    """The text about one kind of limit.

    Attributes:
        text: template with `{limit}`, `{observed}` and a number of entries such as `{files}`.
        more: argument that raises the limit, with its value after `=`; or a command.
        most: the largest value that the argument accepts; 0 for any.
    """

    text: str
    more: str = ""
    most: int = 0


_NARROWER: Final = "filter=path:DIRECTORY"
_TEXT: Final = "expand PATH:LINE"
_INDEX: Final = "ggrep index"
_CUTS: Final[Mapping[str, _Cut]] = MappingProxyType(
    {
        "max_results": _Cut("{limit} of {observed} chunks that match", "top={observed}", 500),
        "max_per_file": _Cut("{limit} hits per file", "per_file=0"),
        "max_query_results": _Cut(
            "{limit} hits, {observed} were requested", "raise max_query_results"
        ),
        "max_query_per_file": _Cut(
            "{limit} hits per file, {observed} were requested", "raise max_query_per_file"
        ),
        "max_query_characters": _Cut("the first {limit} characters of the query"),
        "max_query_terms": _Cut("{limit} of {observed} words of the query"),
        "max_candidates": _Cut("the best {limit} of {observed} candidates", _NARROWER),
        "max_scan_ms": _Cut("the files that could be read in {limit} ms", _INDEX),
        "max_scan_files": _Cut("ranked {limit} of {observed} candidate files", _INDEX),
        "max_scanned_rows": _Cut("{limit} of {observed} chunks read", _NARROWER),
        "max_listed_files": _Cut("{limit} of {observed} files that match", _NARROWER),
        "max_snippet_bytes_per_result": _Cut("text of {hits}", _TEXT),
        "max_total_snippet_bytes": _Cut("{limit} of {observed} bytes of text", _TEXT),
        "max_slate_files": _Cut(
            "{limit} of {observed} files that match", "max_files={observed}", 100
        ),
        "max_slate_files_by_bytes": _Cut("{limit} of {observed} files fit", "max_bytes=N"),
        "max_slate_bytes": _Cut("{limit} of {observed} bytes", "max_bytes={observed}", 4 << 20),
        "max_slate_file_bytes": _Cut("text of {files}", "max_file_bytes={observed}", 4 << 20),
        "max_evidence_per_file": _Cut(
            "{limit} of up to {observed} pieces of evidence per file", "evidence={observed}", 50
        ),
        "max_graph_nodes": _Cut("{limit} of {observed} files of the graph", "max_bytes=N"),
        "max_graph_edges": _Cut("{limit} of {observed} relations of the graph", "max_bytes=N"),
        "max_graph_bytes": _Cut("the graph", "max_bytes=N"),
        "max_symbols": _Cut("{limit} of {observed} definitions", "limit={observed}"),
        "max_implementations": _Cut("{limit} of {observed} implementations", "limit={observed}"),
        "max_references": _Cut("{limit} of {observed} usages", "limit={observed}"),
        "max_judged": _Cut("containers of {limit} of {observed} usages determined", _NARROWER),
        "max_syntax_bytes": _Cut("only {limit} bytes parsed", _NARROWER),
        "max_mention_files": _Cut("{limit} of {observed} files that contain the name", _NARROWER),
        "max_mentions_per_file": _Cut("{limit} usages in {files}", _NARROWER),
        "max_expand_bytes": _Cut("{limit} of {observed} bytes", "max_bytes={observed}"),
        "max_outlined": _Cut("{limit} definitions of {files}"),
        "per_repo_top": _Cut("{limit} hits per repository", "per_repo_top={observed}"),
        "deadline_share": _Cut("too little time for {repos}", "timeout_ms=N"),
        "max_repos": _Cut("{limit} of {observed} repositories", "max_repos=0"),
        "disabled_repos": _Cut(
            "{limit} of {observed} repositories, the others are disabled", "include_disabled=true"
        ),
        "low_confidence": _Cut("{limit} of {observed} hits", "keep_weak=true"),
        "fold_refill": _Cut("hits with the same text", "fold=false"),
    }
)
_FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "limit": "--max",
        "max_file_bytes": "--file-bytes",
        "per_repo_top": "--top-per-repo",
        "strings=true": "--strings",
        "comments=true": "--comments",
        "fold=false": "--no-fold",
        "keep_weak=true": "--keep-weak",
        "include_disabled=true": "--include-disabled",
    }
)
"""Flags whose names differ from the names of arguments."""


def limits_line(limits: Iterable[_Object], *, arguments: bool = False) -> str:
    """Return a line for all entries of `limits_hit`; empty if there are none.

    With `arguments`, the line names arguments of tools instead of flags.
    """
    groups: dict[str, list[_Object]] = {}
    for each in limits:
        groups.setdefault(each["code"], []).append(each)
    if not groups:
        return ""
    texts = [_text(code, group) for code, group in groups.items()]
    others = len(texts) - _MOST_NAMED
    line = f"cut: {', '.join(texts[:_MOST_NAMED])}"
    line += f" and {plural(others, 'other limit')}" if others > 0 else ""
    raised: dict[str, str] = {}
    for code, group in groups.items():
        name, value = _raised(code, group)
        if name and raised.get(name, _ANY) == _ANY:
            raised[name] = value
    more = " ".join(typed(name, value, arguments=arguments) for name, value in raised.items())
    return f"{line}; more: {more}" if more else line


def line_of(limits: Iterable[LimitHit]) -> str:
    """Return the line about limits, with flags for the command line."""
    return limits_line(map(to_builtins, limits))


def _text(code: str, group: list[_Object]) -> str:
    worst = _worst(group)
    observed = worst.get("observed")
    cut = _CUTS.get(code, _Cut(f"{code} {{limit}} of {{observed}}"))
    text = cut.text
    if observed is None:
        text = text.replace(" of {observed}", "").replace(" of up to {observed}", "")
    count = len(group)
    files, hits, repos = (plural(count, noun) for noun in ("file", "hit", "repo"))
    limit = f"{worst['limit']:,}"
    observed = f"{observed or 0:,}"
    where = "" if count > 1 else worst.get("path_key") or worst.get("repoId")
    text = text.format(limit=limit, observed=observed, files=files, hits=hits, repos=repos)
    return f"{text} in {where}" if where else text


def _raised(code: str, group: list[_Object]) -> tuple[str, str]:
    """Return the argument or command that raises a limit, and the argument's value."""
    cut = _CUTS.get(code, _Cut(""))
    name, _, value = cut.more.partition("=")
    if value != "{observed}":
        return name, value
    observed = _worst(group).get("observed") or 0
    return name, str(min(observed, cut.most or observed) or _ANY)


def typed(name: str, value: str, *, arguments: bool) -> str:
    """Return an argument and its value as the user types them; `name` alone is a command."""
    if not value:
        return f"`{name}`"
    typed = f"{name}={value}"
    if arguments:
        return typed
    flag = _FLAGS.get(name) or f"--{name.replace('_', '-')}"
    return _FLAGS.get(typed) or f"{flag} {value}"


def _worst(group: list[_Object]) -> _Object:
    return max(group, key=lambda entry: (entry.get("observed") or 0, entry["limit"]))

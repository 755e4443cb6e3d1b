"""Services, methods and types of interface files, and the code that uses generated stubs."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

MOST_NAMES: Final = 120

_MOST_LISTS: Final = 4
_BLOCK: Final = re.compile(r"^[ \t]*(service|message|enum)[ \t]+(\w{2,80})[ \t]*\{", re.MULTILINE)
_METHOD: Final = re.compile(r"\brpc[ \t]+(\w{2,80})[ \t]*\(")
_SERVED: Final = re.compile(
    r"\b(?:add_(\w{3,60})Servicer_to_server|(\w{3,60})Servicer\b|Register(\w{3,60})Server\("
    r"|Unimplemented(\w{3,60})Server\b|(\w{3,60})ImplBase\b|(\w{3,60})Grpc\.\w+ImplBase)"
)
_USED: Final = re.compile(
    r"\b(?:\w+_pb2_grpc\.(\w{3,60})Stub\(|(\w{3,60})Stub\(|pb\w*\.New(\w{3,60})Client\("
    r"|(\w{3,60})Grpc\.new\w*Stub\(|(\w{3,60})Client::(?:new|connect)\()"
)
_MESSAGE: Final = re.compile(r"^[ \t]*(?:message|enum)[ \t]+(\w{3,80})[ \t]*\{", re.MULTILINE)
_FIELD: Final = re.compile(
    r"^[ \t]*(?:repeated[ \t]+|optional[ \t]+)?(?:[\w.]{1,80}\.)?([A-Z]\w{2,80})"
    r"[ \t]+\w+[ \t]*=[ \t]*\d",
    re.MULTILINE,
)
_GENERATED: Final = re.compile(r"\b(?:\w{1,60}_pb2|pb|\w{1,40}pb)\.([A-Z][a-z]\w{2,80})\b")
_GRAPHQL: Final = re.compile(
    r"^(extend[ \t]+)?(?:type|interface|input|enum|union|scalar)[ \t]+([A-Z]\w{2,80})", re.MULTILINE
)
_ON: Final = re.compile(
    r"\bfragment[ \t]+\w{1,80}[ \t]+on[ \t]+([A-Z]\w{2,80})|\.\.\.[ \t]*on[ \t]+([A-Z]\w{2,80})"
)
_SCHEMAS: Final = re.compile(r"^([ \t]*)[\"']?schemas[\"']?:[ \t]*\{?[ \t]*\n", re.MULTILINE)
_SCHEMA: Final = re.compile(r"[ \t]*[\"']?([A-Z]\w{2,80})[\"']?:[ \t]*\{?[ \t]*$")
_REMOTE: Final = re.compile(
    r"\$ref[\"']?:[ \t]*[\"'][^\"'#\n]{1,160}#/(?:components/schemas|definitions)/([A-Z]\w{2,80})"
)
_ROOTS: Final = frozenset({"Query", "Mutation", "Subscription", "DateTime", "Date", "JSON"})


def services_provided(text: str, language: str) -> list[str]:
    """Return `Service` and `Service/Method` of an interface file, or what code serves."""
    if language == "proto":
        return sorted(set(_methods(text)))[:MOST_NAMES]
    return sorted(set(_groups(_SERVED, text)))[:MOST_NAMES]


def services_used(text: str, language: str) -> list[str]:
    """Return services that code opens a generated client of."""
    return [] if language == "proto" else sorted(set(_groups(_USED, text)))[:MOST_NAMES]


def types_provided(text: str, language: str) -> list[str]:
    """Return types that an interface file defines."""
    match language:
        case "proto":
            found = set(_MESSAGE.findall(text))
        case "graphql":
            found = {name for extends, name in _GRAPHQL.findall(text) if not extends}
        case "yaml" | "json":
            found = set(_schemas(text))
        case _:
            found = set()
    return sorted(found - _ROOTS)[:MOST_NAMES]


def types_used(text: str, language: str) -> list[str]:
    """Return types of interfaces that a text names without defining them."""
    match language:
        case "proto":
            found = set(_FIELD.findall(text))
        case "graphql":
            found = {name for extends, name in _GRAPHQL.findall(text) if extends}
            found |= set(_groups(_ON, text))
        case "yaml" | "json":
            found = set(_REMOTE.findall(text))
        case _:
            found = {*_GENERATED.findall(text), *_groups(_ON, text)}
    return sorted(found - _ROOTS - set(types_provided(text, language)))[:MOST_NAMES]


def _methods(text: str) -> Iterator[str]:
    blocks = list(_BLOCK.finditer(text))
    ends = [*(block.start() for block in blocks[1:]), len(text)]
    for block, end in zip(blocks, ends, strict=False):
        if block[1] == "service":
            yield block[2]
            methods = _METHOD.findall(text, block.end(), end)
            yield from (f"{block[2]}/{method}"[:120] for method in methods)


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield from (group for group in match.groups() if group)


def _schemas(text: str) -> Iterator[str]:
    """Yield names one step below `schemas:`."""
    for start in islice(_SCHEMAS.finditer(text), _MOST_LISTS):
        depth = 0
        for line in text[start.end() :].splitlines():
            indent = len(line) - len(line.lstrip())
            depth = depth or indent
            if line.strip() and indent <= len(start[1]):
                break
            found = _SCHEMA.match(line)
            if found is not None and indent == depth:
                yield found[1]

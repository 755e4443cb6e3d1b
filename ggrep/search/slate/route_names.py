"""HTTP routes that a text declares or calls, as `GET /users/{}`."""

import re
from collections.abc import Iterator
from typing import Final

ANY: Final = "ANY"
MOST_ROUTES: Final = 80

_VERB: Final = r"get|post|put|patch|delete|head|options"
_PATH: Final = r"""[furbFURB$@]{0,2}["'`]([^"'`\s]{1,200})["'`]"""
_SERVER: Final = (
    r"(?:app|application|router|\w{0,30}_?[rR]outer|\w{0,30}_?[rR]outes?|api|\w{0,20}_api|bp|\w{0,20}_bp"
    r"|blueprint|server|fastify|mux|r|e|g|v\d|group|Route|sub|subrouter|web)"
)
_CLIENT: Final = (
    r"(?:requests|httpx|axios|aiohttp|\w{0,30}_?[cC]lient|\w{0,20}_?[sS]ession|http|https|fetcher"
    r"|\$http|got|ky|superagent|needle|HTTParty|Faraday|conn|connection|RestClient|reqwest"
    r"|\w{0,20}[aA]xios|restTemplate|webClient|urllib3|request|undici)"
)
_DECLARED: Final = (
    re.compile(
        rf"(?<![\w.])@?{_SERVER}(?:\.|::)(?P<verb>{_VERB}|any|all)\([ \t\n]*{_PATH}", re.IGNORECASE
    ),
    re.compile(rf"@(?P<verb>Get|Post|Put|Patch|Delete|Request)Mapping\([^)\"\n]{{0,80}}{_PATH}"),
    re.compile(rf"#\[(?P<verb>{_VERB})\({_PATH}"),
    re.compile(rf"\[Http(?P<verb>{_VERB})\({_PATH}", re.IGNORECASE),
    re.compile(rf"\bMap(?P<verb>{_VERB})\({_PATH}", re.IGNORECASE),
    re.compile(rf"^[ \t]*(?P<verb>{_VERB})[ \t]+['\"](/[^'\"\s]{{1,200}})['\"]", re.MULTILINE),
    re.compile(r"\bHandle(?:Func)?\([ \t\n]*\"(?:(?P<verb>[A-Z]{3,7}) )?(/[^\"\s]{1,200})\""),
    re.compile(rf"\.route\([ \t\n]*\"(/[^\"\s]{{1,200}})\",[ \t\n]*(?P<verb>{_VERB})\("),
    re.compile(r"\b(?:re_)?path\([ \t\n]*r?(?P<verb>)[\"']([\w<>:/{}-]{1,160}/)[\"'],"),
)
_FLASK: Final = re.compile(
    rf"@{_SERVER}\.(?:api_)?route\([ \t\n]*{_PATH}"
    r"(?:[^)\n]{0,80}methods[ \t]*=[ \t]*[\[(]([^\])\n]{1,80})[\])])?"
)
_OPENAPI: Final = re.compile(
    r"^[ \t]{1,8}[\"']?(/[\w{}./-]{1,160})[\"']?:[ \t]*\{?[ \t]*$", re.MULTILINE
)
_OPENAPI_VERB: Final = re.compile(
    rf"^[ \t]{{2,16}}[\"']?({_VERB})[\"']?:[ \t]*\{{?[ \t]*$", re.MULTILINE
)
_CALLED: Final = (
    re.compile(
        rf"(?<!@)(?<![\w])(?:\w{{1,30}}\.){{0,2}}{_CLIENT}(?:\.|::)(?P<verb>{_VERB})"
        rf"(?:Async|ForObject|ForEntity)?(?:<[^>\n]{{0,60}}>)?\([ \t\n]*{_PATH}",
        re.IGNORECASE,
    ),
    re.compile(rf"\bfetch\([ \t\n]*(?P<verb>){_PATH}"),
    re.compile(
        rf"\bNewRequest(?:WithContext)?\([^\n]{{0,40}}?(?:\"|http\.Method)(?P<verb>{_VERB})\"?,"
        rf"[^\n\"]{{0,80}}{_PATH}",
        re.IGNORECASE,
    ),
)
_VERB_OF: Final = re.compile(rf"[.:](?:{_VERB}|any|all)", re.IGNORECASE)
"""What the first of either list needs; looking for it is quick, and few texts have any."""

_FETCH_METHOD: Final = re.compile(rf"method:[ \t]*[\"'](?P<verb>{_VERB})[\"']", re.IGNORECASE)
_ORIGIN: Final = re.compile(r"^(?:[a-z]{2,6}://[^/]*|(?:\$?\{[^}]*\}|%s)(?=/))")
_PARAMETER: Final = re.compile(
    r"<[^>/]*>|\$?\{[^}/]*\}|(?<=/):\w+|(?<=/)%[sdv]|(?<=/)\*\w*|(?<=/)\d+(?=/|$)"
)
_SEGMENT: Final = re.compile(r"[\w.~@-]{1,60}|(?:[\w.~@-]{0,30}\{\}[\w.~@-]{0,30})")
_COMMON_WORDS: Final = (
    "/ /health /healthz /status /metrics /ping /ready /readyz /livez /version /login /logout"
    " /docs /api /favicon.ico /robots.txt /index.html /v1 /v2 /info /static /admin /search"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())


def routes_declared(text: str) -> list[str]:
    """Return routes that a server's text declares; `ANY` where no method is said."""
    return _unique(_declared(text))


def routes_called(text: str) -> list[str]:
    """Return routes of literal paths that a client's text asks for."""
    return _unique(_called(text))


def route_of(path: str) -> str:
    """Return a path with its parameters as `{}`; empty for what tells nothing or is no path."""
    bare = re.split(r"[?#]", _ORIGIN.sub("", path), maxsplit=1)[0]
    plain = _PARAMETER.sub("{}", bare if bare.startswith("/") else f"/{bare}").rstrip("/")
    segments = plain.split("/")[1:]
    if not plain or plain in _COMMON or not all(map(_SEGMENT.fullmatch, segments)):
        return ""
    return plain if any(segment != "{}" for segment in segments) and len(plain) <= 110 else ""


def _declared(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _DECLARED if _VERB_OF.search(text) else _DECLARED[1:]:
        for match in pattern.finditer(text):
            yield _method(match["verb"]), _path_group(match)
    for match in _FLASK.finditer(text):
        verbs = re.findall(r"[A-Z]{3,7}", match[2] or "") or [ANY]
        yield from ((verb, match[1]) for verb in verbs)
    places = list(_OPENAPI.finditer(text))
    ends = [*(place.start() for place in places[1:]), len(text)]
    for place, end in zip(places, ends, strict=False):
        verbs = _OPENAPI_VERB.findall(text, place.end(), end)
        yield from ((verb.upper(), place[1]) for verb in verbs)


def _called(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _CALLED if _VERB_OF.search(text) else _CALLED[1:]:
        for match in pattern.finditer(text):
            said = _FETCH_METHOD.search(text, match.end(), match.end() + 120)
            default = said["verb"] if said else "get"
            yield _method(match["verb"] or default), _path_group(match)


def _path_group(match: re.Match[str]) -> str:
    verb = match.re.groupindex["verb"]
    return next(match[number] for number in range(1, match.re.groups + 1) if number != verb)


def _method(verb: str | None) -> str:
    upper = (verb or "").upper()
    return ANY if upper in {"", "ALL", "ANY", "REQUEST"} else upper


def _unique(found: Iterator[tuple[str, str]]) -> list[str]:
    routes = {f"{method} {route}" for method, path in found if (route := route_of(path))}
    return sorted(routes)[:MOST_ROUTES]

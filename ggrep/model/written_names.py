"""Parses names in the syntax of each language, and locations in the syntax of compilers."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ggrep.base.scripts import nfc, spelled_in_any_form

_KEYWORDS: Final = re.compile(
    r"(?:(?:abstract|async|class|const|def|enum|export|final|fn|fun|func|function|impl|interface|"
    r"let|macro|module|namespace|object|package|private|protected|protocol|pub|public|record|"
    r"static|struct|sub|trait|type|typedef|union|val|var)\s+)+"
    r"(?:\([^()]{0,200}\)\s*)?"
)
"""Keywords before a declared name, and the receiver of a method in Go."""
_NAME: Final = re.compile(r"``[^`]+``|`[^`]+`|[^\s(){}<;=,]+")

_QUOTED: Final = re.compile(
    r"``(?P<a>[^`]+)``|`(?P<b>[^`]+)`|(?:var|@)?\"(?P<c>[^\"]+)\"|'(?P<d>[^']+)'|r\#(?P<e>\w+)"
    r"|\((?P<f>\|[^()]+\|)\)|\(\s*(?P<g>[^\w\s()|]+|(?:let|and)[^\w\s()]+)\s*\)"
    r"|\[(?P<h>[\w ]+)\]|(?P<i>\|[^|]+\|)"
)
_BARRED: Final = re.compile(r"\|[^|]+\|")
_AT_RULE: Final = re.compile(r"@(?:function|keyframes|mixin|layer|property|include)\s+([\w-]+).*")
_RULE_GIVEN: Final = re.compile(r"([.#][\w-]+)\(.*\)")
_OPERATOR: Final = re.compile(r"operator\s*(?P<sign>[^\w\s].*)|operator\s+(?P<type>\w.*)")
_SIGILS: Final = "$@#&*:`\"'="
_SELECTOR: Final = re.compile(r"[.#]-{0,2}[^\W\d]")

_MARK: Final = re.compile(r"(?<=[\w)\]`'\"?!])(?:::|->|\\|(?<!\br)#|[./:])(?=.)")
"""Separators between a container and a name."""
_DOTS: Final = frozenset({".", "::"})
_MARKS: Final = _DOTS | {"->", "\\", "#", "/"}
_ARITY: Final = re.compile(r"(?<=\w[?!])/\d+$|(?<=\w)/\d+$")

LISPS: Final = frozenset({"clojure", "elisp", "fennel", "lisp", "racket", "scheme"})
STYLES: Final = frozenset({"css", "less", "scss"})
_MARKUPS: Final = frozenset({"astro", "erb", "html", "svelte", "vue", "xml"})
_SCRIPTS: Final = frozenset({"javascript", "jsx", "tsx", "typescript"})
_KEYED: Final = frozenset(
    {"desktop", "dockerfile", "hcl", "ini", "json", "make", "markdown", "toml", "xml", "yaml"}
)

_DOLLAR: Final = frozenset({"java", "javascript", "svelte", "tsx", "typescript", "vue"})
"""Languages in which names can contain `$`."""
_DASH: Final = (
    LISPS | STYLES | {"bash", "html", "make", "nix", "powershell", "tcl", "toml", "xml", "yaml"}
)
_PRIME: Final = frozenset({"elm", "fsharp", "haskell", "nix", "ocaml", "purescript"})
"""Languages in which names can contain `'` after the first letter."""
_MARKED: Final = frozenset({"crystal", "elixir", "julia", "ruby"})
"""Languages in which a name can end with `?` or `!`."""
_LISP_LETTERS: Final = "?!*+<>="
_SIGNS: Final = "!%&*+/<=>^|~-"
"""Characters of operators."""
OPERATOR_LANGUAGES: Final = LISPS | frozenset(
    {
        *("ada", "agda", "coq", "cpp", "crystal", "csharp", "d", "dart", "elixir", "elm", "fsharp"),
        *("haskell", "julia", "nim", "ocaml", "prolog", "purescript", "r", "ruby", "scala"),
        "swift",
    }
)
"""Languages in which programs can define operators."""


class NameReading(NamedTuple):
    """A parsed name: its containers, outermost first, and its last part."""

    owners: tuple[str, ...]
    last: str


def declared_name(typed: str) -> str:
    """Return the name in a definition's head, or the whole text if it is not a head; in NFC."""
    typed = nfc(typed.strip())
    if typed[:1] == "/" and re.search(r"\w", typed):
        return f'"{typed}"'  # the text is the path of a route
    if not (head := _KEYWORDS.match(typed)):
        return typed
    name = _NAME.match(typed, head.end())
    if not name or typed[name.end() :].strip()[:1] not in {*"(){}<;=,:[", ""}:
        return typed
    return name.group().rstrip(":")


@lru_cache(4096)
def bare_name(written: str) -> str:
    """Return a name without quoting, in NFC: the form for comparisons."""
    name = nfc(written.strip())
    name = name[1:] if name[:1] == "\\" and len(name) > 1 else name
    if (quoted := _QUOTED.fullmatch(name)) is not None:
        name = next(text for text in quoted.groups() if text is not None)
        return name[1:-1] if _BARRED.fullmatch(name) else name
    if (operator := _OPERATOR.fullmatch(name)) is not None:
        return _operator(operator)
    rule = _AT_RULE.fullmatch(name) or _RULE_GIVEN.fullmatch(name)
    return rule[1] if rule else name


def _operator(named: re.Match[str]) -> str:
    """Return the name of an operator without whitespace and parameters."""
    if named["type"] is not None:
        return "operator " + " ".join(named["type"].partition("(")[0].split())
    sign = "".join(named["sign"].split())
    return f"operator{sign[:2] if sign.startswith('()') else sign.partition('(')[0]}"


def is_same_name(defined: str, spelled: str) -> bool:
    """Return whether `defined` is the name `spelled`, apart from quoting, sigils and qualifiers."""
    name, requested = bare_name(defined), bare_name(spelled)
    if name == requested:
        return True
    if not re.search(r"\w", name) or (name.startswith("operator") and not name[8:9].isalnum()):
        return False  # an operator's name has no other spelling
    plain = name.replace(" ", "").strip(_SIGILS)
    return requested.strip("$@%&") in {
        *(name.removesuffix("="), plain, last_of(name), last_of(plain), plain.partition("<")[0])
    }


def last_of(name: str) -> str:
    """Return the last part of a qualified name."""
    for mark in ("::", ".", "\\"):
        name = name.rpartition(mark)[2] or name
    return name


def name_readings(typed: str, language: str = "") -> tuple[NameReading, ...]:
    """Return the possible readings of a requested name in a language, the preferred reading first.

    In some languages `print.foo` can be a name, or the name `foo` in `print`. Without a language,
    every separator splits the name. The result is empty if no name in the language has this form.
    """
    name = declared_name(typed)
    whole = NameReading((), bare_name(name))
    if _SELECTOR.match(name):
        return _selector_readings(name, whole, language)
    if not re.search(r"\w", whole.last) or whole.last != name or language in STYLES | _KEYED:
        return (whole, *(_cut(name, _DOTS) if language in _KEYED else ()))
    if language in LISPS:
        return (whole, *_cut(name, _DOTS | {"/"} if language == "clojure" else _DOTS))
    if language in {"bash", "r"}:
        return (whole, *_cut(name, _DOTS))
    if language == "objc":
        name = name.partition(":")[0] or name  # the method's name is the first part of the selector
    return _cut(name, _MARKS | {":"} if language == "lua" else _MARKS)


def _selector_readings(name: str, whole: NameReading, language: str) -> tuple[NameReading, ...]:
    """Return the readings of `.card` or `#top`: a style sheet's rule, or a name with a prefix."""
    if language in _MARKUPS:
        return (NameReading((), name[1:]),)
    dotted = name[0] == "." and language in {"r", "bash", "make", "dockerfile"}
    private = name[0] == "#" and language in _SCRIPTS
    return (whole,) if dotted or private or language in STYLES or not language else ()


def _cut(name: str, marks: frozenset[str]) -> tuple[NameReading, ...]:
    """Return the reading of a name that is split at `marks`."""
    name = name if name.endswith("operator()") else name.removesuffix("()")
    name = _ARITY.sub("", name).removeprefix("::").removeprefix("\\")
    parts, start = [], 0
    for mark in _MARK.finditer(name):
        sign = mark.group()
        if sign in marks:
            parts.append(name[start : mark.start()])
            start = mark.end()
    owners = tuple(bare_name(part) for part in parts if part)
    return (NameReading(owners, bare_name(name[start:])),)


def is_quoted(typed: str) -> bool:
    """Return whether a requested name is the text of a string: `"started"`, `/login`."""
    return declared_name(typed)[:1] in {'"', "'"}


def name_parts(typed: str) -> list[str]:
    """Return the parts of a name: `a.b`, `a::b`, `a#b` and `a/b` all have the parts `a` and `b`."""
    reading = name_readings(typed)[-1]
    return [*reading.owners, reading.last]


def last_part(typed: str) -> str:
    """Return a requested name without its container."""
    return name_parts(typed)[-1]


def owners_of(typed: str, spelled: str) -> tuple[str, ...]:
    """Return the requested containers of a definition; empty if only a name is requested."""
    name = declared_name(typed)
    if bare_name(name) == bare_name(spelled):
        return ()
    for mark in _MARK.finditer(name):
        if bare_name(name[mark.end() :]) == bare_name(spelled):
            return tuple(name_parts(name[: mark.start()]))
    return tuple(name_parts(typed)[:-1])


@lru_cache(256)
def requested_lasts(typed: str) -> tuple[str, ...]:
    """Return all names that a request can mean in any language, without quoting and container."""
    name = declared_name(typed)
    starts = (0, *(mark.end() for mark in _MARK.finditer(name)))
    lasts = (last_part(name), *(bare_name(name[start:]) for start in starts))
    return tuple(dict.fromkeys((*lasts, *([name[1:]] if _SELECTOR.match(name) else ()))))


def requested_spellings(typed: str) -> tuple[str, ...]:
    """Return all names that a request can mean, with every quoting that occurs in the index."""
    lasts = requested_lasts(typed)
    without = (last.lstrip("$@%&") or last for last in lasts)  # many indexed names lack sigils
    every = (each for last in dict.fromkeys((*lasts, *without)) for each in _quotings(last))
    return tuple(dict.fromkeys((declared_name(typed), *every)))


def _quotings(name: str) -> tuple[str, ...]:
    around = (
        *(
            "{0}",
            "{0}=",
            "`{0}`",
            "``{0}``",
            '"{0}"',
            "'{0}'",
            "|{0}|",
            "r#{0}",
            "({0})",
            "#{0}",
            "\\{0}",
        ),
        *(".{0}", "${0}", "@{0}", "%{0}", "--{0}", "@mixin {0}", "@function {0}", "@keyframes {0}"),
    )
    signed = name.removeprefix("operator")
    spelled = tuple(pattern.format(name) for pattern in around)
    return (*spelled, f"operator {signed.strip()}") if signed != name else spelled


_LAST_OWNER: Final = re.compile(r"([\w$]+)(?:::|->|[.#\\])$")
_SELF: Final = frozenset({"cls", "self", "Self", "super", "this"})
"""Qualifiers that name no container."""


def names_at(line: str, at: int, language: str) -> tuple[str, ...]:
    """Return the names at an offset of a line, for a query; empty at whitespace.

    For a qualified name, the name with its container comes first, then the name alone. `at` can be
    the end of the name.
    """
    more = _letters_of(language)
    mark = r"(?:[?!](?![=~]))?" if language in _MARKED else ""
    words = [rf"[\w{re.escape(more)}]*\w[\w{re.escape(more)}]*{mark}"]
    words += [f"[{re.escape(_SIGNS)}]+"] if language in OPERATOR_LANGUAGES else []
    for pattern in words:
        spans = [each for each in re.finditer(pattern, line) if each.start() <= at <= each.end()]
        if not spans:
            continue
        span = spans[-1]
        name = span[0].lstrip("'") if language in _PRIME else span[0]
        if name[:1].isdigit():
            return ()
        owner = _LAST_OWNER.search(line, 0, span.start())
        owned = [f"{owner[1]}.{name}"] if owner and owner[1] not in _SELF else []
        return tuple(dict.fromkeys((*owned, name, name.rstrip("?!") or name)))
    return ()


def _letters_of(language: str) -> str:
    """Return the characters, apart from word characters, that names of a language can contain."""
    more = "$" if language in _DOLLAR else ""
    more += "'" if language in _PRIME else ""
    more += "." if language == "r" else ""
    more += "-" if language in _DASH else ""
    more += _LISP_LETTERS if language in LISPS else ""
    return more + ("/" if language in LISPS and language != "clojure" else "")


@lru_cache(256)
def word_pattern(name: str, language: str, any_case: bool) -> re.Pattern[str]:  # noqa: FBT001
    """Return the pattern of a name as a whole word, with the word characters of a language.

    Requires: `name` has no quoting and no container. With `any_case`, other letter cases also
    match.
    """
    more = _letters_of(language)
    more += "".join(sign for sign in "$-" if sign in name and sign not in more)
    is_word = re.search(r"\w", name) is not None
    signs = "".join(dict.fromkeys(_SIGNS + name))  # characters of operators, and of this name
    letters = rf"\w{re.escape(more)}" if is_word or language in LISPS else re.escape(signs)
    begins, ends = re.match(f"[{letters}]", name), re.search(f"[{letters}]$", name)
    before = f"(?<![{letters}])" if begins or name[:1] == "/" else ""
    dot = "." if not is_word and language in {"fsharp", "ocaml"} else ""  # `+.` adds floats
    after = f"(?![{letters}{dot}])" if ends else ""
    if language in _MARKED and is_word and ends:
        after += "(?![?!](?![=~]))"
    spelled = _spelled(name)
    if begins and is_word and name.isascii() and not any_case and not _OPERATOR.fullmatch(name):
        # A pattern that begins with plain letters is found ten times as fast.
        return re.compile(f"{spelled}(?<![{letters}]{spelled}){after}")
    return re.compile(before + spelled + after, re.IGNORECASE if any_case else 0)


def _spelled(name: str) -> str:
    """Return the pattern of a name; an operator's name can contain spaces in C++ and C#."""
    operator = _OPERATOR.fullmatch(name)
    if operator is None:
        return spelled_in_any_form(name)
    parts = (operator["sign"] or operator["type"]).split()
    return r"\s{0,8}".join(["operator", *map(re.escape, parts)])


_LINES: Final = re.compile(
    r":(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?(?=[:\s]|$)"
    r"|\((?P<line>\d{1,9})(?:,\d{1,9})?\)(?=\s*:|$)"
)
_ARROW: Final = re.compile(r"-->\s+")
_BARE: Final = re.compile(r"\S+:\d{1,9}(?:-\d{1,9}|:\d{1,9})?")


class PlaceReading(NamedTuple):
    """A text parsed as a location in a file.

    Attributes:
        path: the text before the line numbers.
        first: first line, 1-based; 0 for the whole file.
        last: last line; None for a single line.
    """

    path: str
    first: int = 0
    last: int | None = None

    @property
    def lines(self) -> str:
        """Return the text of the lines after a path: `:3`, `:3-5`, or empty."""
        end = "" if self.last is None else f"-{self.last}"
        return f":{self.first}{end}" if self.first else ""


def place_readings(text: str) -> Iterator[PlaceReading]:
    """Yield the possible readings of a text as a location; callers choose one whose file exists.

    The whole text can also be a path. A column and a message after the line are ignored.
    """
    text = text.strip()
    yield PlaceReading(text)
    text = _ARROW.sub("", text, count=1)
    for lines in _LINES.finditer(text):
        last = lines["last"]
        path = text[: lines.start()]
        if path:
            first = int(lines["first"] or lines["line"])
            yield PlaceReading(path, first, int(last) if last else None)


def is_place_text(text: str) -> bool:
    """Return whether a text consists only of a path and a line."""
    return _BARE.fullmatch(text) is not None

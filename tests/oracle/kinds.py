"""Which of ctags' tags count as definitions that a chunk has to start with or name.

All tags of ctags' default kinds count, but for

    anonymous ones   ctags makes names up for them: `__anon1f2e`, `<lambda>`
    locals           what stands inside a function, be it a function itself: it is that function's
                     own affair, and the bodies of small functions are not read
    imports          and a few names that ctags gets wrong, listed below for each language; in
                     Elixir also the code that stands in documentation as an example
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

Row = dict[str, Any]

NOT_DEFINITIONS: Final[dict[str, frozenset[str]]] = {
    # `import x as y` and `from m import y`.
    "Python": frozenset({"namespace", "unknown"}),
    # `#include`.
    "C": frozenset({"header"}),
    "C++": frozenset({"header"}),
    # The name under which `import name "path"` brings a package in.
    "Go": frozenset({"packageName", "unknown"}),
    # `import type X from`; ctags takes the words `type` and `from` for names as well.
    "TypeScript": frozenset({"alias"}),
    # `using A = B.C`.
    "C#": frozenset({"typedef"}),
    # `require "x"`.
    "Ruby": frozenset({"library"}),
    # `use A\B as C`.
    "PHP": frozenset({"alias"}),
    # `source file`, and the word that ends a here-document.
    "Sh": frozenset({"script", "heredoc"}),
    # What a generic is given, the label of a loop, the unit that a part is taken out of.
    "Ada": frozenset({"formal", "identifier", "separate"}),
    # `import X as Y`.
    "Elm": frozenset({"namespace"}),
    # Steps of a script or function: each assignment is reported, wherever it stands.
    # `version (X)` asks, `mixin X!T` uses what is defined elsewhere.
    "D": frozenset({"version", "mixin"}),
}
NOT_DEFINED_HERE: Final = {
    # `const x = require("y")`: an import.
    "JavaScript": re.compile(r"=\s*require\("),
    # `new (...): T` in an interface: a signature without a name.
    "TypeScript": re.compile(r"\^\s*new\s*[(<]"),
    # Wrong: `deriving instance`, `infixr 5 +`, and splices, which begin a line but define nothing.
    "Haskell": re.compile(r"\^(?:deriv(?:e[A-Z]|ing)|infix[lr]? |\$\()"),
    # Tests, which go by their cases: `TEST_F(Suite, Case) {`.
    "C++": re.compile(r"\^\w*TEST\w*\("),
    # Lines of the preprocessor, and marks, taken for what they stand beside.
    "ObjectiveC": re.compile(r"\^#|GS_UNUSED|__attribute__"),
    # Variables of functions and of examples in comments.
    "CMake": re.compile(r"\^\s"),
    # Wrong: `x = call(..., function ...`, read as `x = function ...`; and locals of a function.
    "Lua": re.compile(r"=\s*(?!function\b)[^=]*function|function\w|\^\s+local\b"),
    # Parameters, and steps of what stands in braces; ctags tells no scope.
    "PowerShell": re.compile(
        r"(?i)\^(?:\s+|(?!\s*(?:function|filter|workflow)\b).*[{(]\s*)(?:\[[^=]*\]\s*)?\$"
    ),
    # Wrong: what a type of procedures takes, and what a comment says.
    "Pascal": re.compile(r"(?i)=\s*(?:procedure|function)\b|\^\s*//"),
    # Wrong: the parameter of `enum isX(T) = ...` and `alias X(T) = ...`.
    "D": re.compile(r"\b(?:enum|alias)\b[^=;]*\("),
}
"""`anon` is Ada's block of statements that declares."""
FUNCTIONS: Final = frozenset(
    {
        *("anon", "entry", "func", "function", "generator", "method", "procedure", "process"),
        *("singletonMethod", "subprogram"),
    }
)
LOSES_SCOPES: Final = frozenset({"JavaScript", "OCaml", "TypeScript"})
"""Here ctags reads the body of an arrow function, and of any function handed to a call, as if it
stood outside: what is indented and has no scope is a local all the same."""


def definitions(language: str, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the tags that count."""
    bodies = _bodies(rows)
    closed = {(row["path"], _qualified(row)) for row in rows if row["kind"] in FUNCTIONS}
    for row in rows:
        if _is_local(language, row, closed, bodies.get(row["path"], [])):
            closed.add((row["path"], _qualified(row)))
        elif _counts(language, row):
            yield row


def _counts(language: str, row: Row) -> bool:
    if "anonymous" in row.get("extras", "") or row["name"].startswith("<"):
        return False
    if row["kind"] in NOT_DEFINITIONS.get(language, frozenset()):
        return False
    if language == "VHDL" and row["kind"] == "alias":
        # Wrong: of `alias NAME is OTHER [TYPE]` all three words.
        return re.search(rf"(?i)\balias\s+{re.escape(row['name'])}\b", row["pattern"]) is not None
    if language == "C++" and _is_macro(row):
        return False
    elsewhere = NOT_DEFINED_HERE.get(language)
    return elsewhere is None or not elsewhere.search(row.get("pattern", ""))


def _is_macro(row: Row) -> bool:
    """Say whether a C++ tag is a macro: what it makes, or what it stands behind, goes unread."""
    name = row["name"]
    if re.fullmatch(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+", name) is None:
        return False
    head = rf"\b(?:class|enum|struct|union)\s+{name}\s*(?:[:{{;]|final|\$/)"
    return re.search(head, row.get("pattern", "")) is None


def _is_local(
    language: str, row: Row, closed: set[tuple[str, str]], bodies: list[tuple[int, int]]
) -> bool:
    scope = row.get("scope", "")
    if row.get("scopeKind") in FUNCTIONS:
        return True
    if any(first <= row["line"] <= last for first, last in bodies):
        return True
    if language in LOSES_SCOPES and not scope:
        return bool(re.match(r"/\^\s", row.get("pattern", "")))
    ends = [match.start() for match in re.finditer(r"\.", scope)] + [len(scope)]
    return any((row["path"], scope[:end]) in closed for end in ends)


def _qualified(row: Row) -> str:
    return ".".join(part for part in (row.get("scope", ""), row["name"]) if part)


def _bodies(rows: Sequence[Row]) -> dict[str, list[tuple[int, int]]]:
    """Return, for each path, the lines behind the first of each function, where ctags says them."""
    results: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        named = "anonymous" not in row.get("extras", "")
        if named and row["kind"] in FUNCTIONS and row.get("end", 0) > row["line"]:
            results.setdefault(row["path"], []).append((row["line"] + 1, row["end"]))
    return results

"""Comments, strings and keywords of code, told apart without a grammar, to be painted.

Linear in the text, whatever it holds. What a cut-out does not show, as that it begins inside of a
comment, is not known.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from ggrep.parse.languages.registry import language_of
from ggrep.render.style import Style


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINE_COMMENTS: Final = {
    "#": _words(
        "awk bash cmake coffeescript crystal dockerfile elixir fish graphql hcl ini julia just"
        " make nim nix perl php powershell properties python r ruby starlark toml yaml"
    ),
    "//": _words(
        "apex c cpp csharp cuda d dart fsharp glsl go groovy hcl java javascript kotlin objc odin"
        " php proto rust scala scss solidity swift thrift tsx typescript v zig"
    ),
    "--": _words("ada elm haskell lua sql vhdl"),
    ";": _words("assembly clojure commonlisp elisp fennel ini racket scheme"),
    "%": _words("erlang latex matlab prolog"),
}
_BLOCK_COMMENTS: Final = _words(
    "apex c cpp csharp css cuda d dart glsl go groovy hcl java javascript kotlin objc php proto"
    " rust scala scss solidity sql swift thrift tsx typescript"
)
_SINGLE_QUOTES: Final = _words(
    "awk bash coffeescript crystal css dart dockerfile elixir fish graphql groovy hcl javascript"
    " just lua nix perl php powershell python r ruby scss sql starlark toml tsx typescript yaml"
)
_BACKTICKS: Final = _words("go javascript tsx typescript")
_TRIPLES: Final = _words("julia kotlin python scala starlark swift toml")
_KEYWORDS: Final = _words(
    "abstract and as assert async await break case catch class const constexpr continue def"
    " default defer del delete do elif else elsif enum except explicit export extends extern"
    " false False final finally fn for foreach from func function global goto if impl implements"
    " import in inline instanceof interface internal is lambda let match module mutable"
    " namespace new nil None nonlocal not null or override package pass private protected public"
    " raise readonly require rescue return sealed self sizeof static struct super switch then"
    " this throw throws trait true True try type typedef typename typeof union unless until use"
    " using var virtual void volatile when where while with yield"
)
"""Words that many languages keep for themselves."""
_DATA: Final = _words("graphql ini properties toml yaml")
_CONSTANTS: Final = _words("true false null")
_WORD: Final = r"(?P<word>[A-Za-z_]\w*)"

Spans = Iterable[tuple[int, int]]
"""Where something begins and ends in a line."""


def painted(lines: Sequence[str], path: str, style: Style, spans: Iterable[Spans]) -> Iterator[str]:
    """Yield lines of a file in colour.

    Args:
        lines: as they are shown.
        path: of the file.
        style: paints them; they come back as they are where it does not.
        spans: of each line, what is to stand out.
    """
    if not style.colour:
        yield from lines
        return
    for line, roles, found in zip(lines, _roles(lines, language_of(path)), spans, strict=True):
        for start, end in found:
            roles[start:end] = ["match"] * (end - start)
        runs = groupby(zip(roles, line, strict=True), key=lambda each: each[0])
        texts = ((role, "".join(mark for _, mark in run)) for role, run in runs)
        yield "".join(style.paint(role, text) if role else text for role, text in texts)


def _roles(lines: Sequence[str], language: str) -> list[list[str]]:
    """Return the role of each character of each line; empty for none."""
    text = "\n".join(lines)
    roles = [""] * len(text)
    pattern = _pattern(language)
    for found in pattern.finditer(text) if pattern else ():
        role = found.lastgroup or ""
        if role == "word":
            known = _CONSTANTS if language in _DATA else _KEYWORDS
            role = "keyword" if found[0] in known else ""
        roles[found.start() : found.end()] = [role] * (found.end() - found.start())
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return [roles[start : start + len(line)] for start, line in zip(starts, lines, strict=False)]


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    """Return what finds comments, strings and words; None for a language without any."""
    marks = [mark for mark, names in _LINE_COMMENTS.items() if language in names]
    blocks = language in _BLOCK_COMMENTS
    if not marks and not blocks:
        return None
    comments = [
        *((r"/\*[\s\S]*?(?:\*/|\Z)",) if blocks else ()),
        # A sign in the middle of a word is none: `$#`, `a#b`, `http://`.
        *(rf"(?<![\w$&:\\]){re.escape(mark)}[^\n]*" for mark in marks),
    ]
    strings = [
        *((r'"""[\s\S]*?(?:"""|\Z)', r"'''[\s\S]*?(?:'''|\Z)") if language in _TRIPLES else ()),
        *((r"`[^`]*(?:`|\Z)",) if language in _BACKTICKS else ()),
        r'"(?:\\.|[^"\\\n])*"?',
        r"'(?:\\.|[^'\\\n])*'?" if language in _SINGLE_QUOTES else r"'(?:\\[^\n']{1,8}|[^'\\\n])'",
    ]
    told = f"(?P<comment>{'|'.join(comments)})|(?P<string>{'|'.join(strings)})|{_WORD}"
    return re.compile(told)

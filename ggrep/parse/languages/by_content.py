"""Detects a file's language from its bytes, if its name is ambiguous or has no extension.

Only the path and the bytes are used. Each pattern is tried once, in time linear in the file's size.
"""

import re
from functools import cache
from types import MappingProxyType
from typing import Final

from ggrep.config.endings import CODE

FIRST_LINE_BYTES: Final = 200
"""Maximum bytes of a first line that are read."""

_OBJC: Final = (
    rb"^[ \t]*(?:@(?:interface|implementation|protocol|class|property|import|end)\b"
    rb"|#[ \t]*import[ \t]+[<\"])"
)
_C_TEXT: Final = rb"^[ \t]*(?:#[ \t]*(?:include|define|ifn?def|if|pragma)\b|//|/\*|\*/)"
_PERL: Final = (
    rb"^[ \t]*(?:use[ \t]+(?:strict|warnings|utf8|lib|v?5|[A-Z]\w*)|package[ \t]+[A-Z]\w*"
    rb"|sub[ \t]+\w|(?:my|our|local)[ \t]*[$@%(])"
)
_BY_ENDING: Final = MappingProxyType(
    {
        "cl": (("c", rb"\b(?:__kernel|kernel[ \t]+void|__global)\b"),),
        "cls": (
            ("latex", rb"^[ \t]*\\(?:NeedsTeXFormat|ProvidesClass|LoadClass|def|newcommand)\b"),
            ("vb", rb"^(?:VERSION[ \t]+1\.0[ \t]+CLASS|Attribute[ \t]+VB_)"),
            (
                "apex",
                rb"(?i)^[ \t]*(?:@\w+[^\n]{0,80}\s+)?(?:public|global|private)\b[^\n]{0,80}"
                rb"\b(?:class|interface|enum)\b",
            ),
        ),
        "d": (("make", rb"\A[^\n:]{1,400}\.[a-z]{1,4}[ \t]*:(?:[ \t]|\\?$)"),),
        "fs": (("glsl", rb"^[ \t]*(?:#version\b|precision[ \t]+\w+[ \t]+float|void[ \t]+main\b)"),),
        "h": (
            ("objc", _OBJC),
            ("cpp", rb"^[ \t]*(?:class|namespace|template|using|public|private|protected)\b"),
        ),
        "inc": (
            ("php", rb"<\?(?:php|=)"),
            (
                "pascal",
                rb"(?i)^[ \t]*(?:\{\$|(?:procedure|unit|implementation)\b[^\n(;]{0,80};"
                rb"|(?:procedure|function)[ \t]+\w[^\n]{0,200};)",
            ),
            (
                "bitbake",
                rb"^[ \t]*(?:[A-Z][A-Z_:]{2,}[a-z_:-]*[ \t]*(?:\?\?=|\?=|\+=|:=|=)[ \t]*\""
                rb"|do_\w+[ \t]*\(\))",
            ),
            ("perl", _PERL),
            ("c", _C_TEXT),
        ),
        "m": (
            ("objc", _OBJC),
            ("mercury", rb"^[ \t]*:-[ \t]*(?:module|interface|import_module)\b"),
            ("objc", _C_TEXT),
            ("mathematica", rb"^[ \t]*(?:\(\*|BeginPackage\[)"),
        ),
        "pl": (
            ("perl", _PERL),
            ("prolog", rb"^(?::-|[a-z]\w*(?:\([^\n]{0,400}\))?[ \t]*(?::-|-->))"),
        ),
        "pp": (
            (
                "pascal",
                rb"(?i)^[ \t]*(?:(?:unit|program|library)[ \t]+[\w.]{1,200}[ \t]*"
                rb"(?:\([^\n]{0,400}\))?;"
                rb"|implementation[ \t]*$|\{\$)",
            ),
            (
                "puppet",
                rb"^[ \t]*(?:class|define|node)\b[^\n;]{0,200}[{(]|^[ \t]*(?:include[ \t]+"
                rb"[\w:]+|[$]\w+[ \t]*=|\w+[ \t]*\{[ \t]*['\"$])",
            ),
        ),
        "pro": (("qmake", rb"^[ \t]*(?:TEMPLATE|QT|SOURCES|HEADERS|CONFIG)\b[ \t]*[+*-]?="),),
        "t": (("perl", _PERL),),
        "ts": (("xml", rb"\A\s*(?:<\?xml|<!DOCTYPE[ \t]+TS)\b"),),
        "v": (
            (
                "coq",
                rb"^[ \t]*(?:(?:From[ \t]+\w+[ \t]+)?Require\b|Theorem|Lemma|Definition|Inductive"
                rb"|Fixpoint|Proof\.|Qed\.|Section[ \t]+\w+\.)",
            ),
            (
                "verilog",
                rb"^[ \t]*(?:endmodule|endprimitive|`(?:timescale|define|include|ifn?def)"
                rb"|(?:input|output|inout|wire|reg)[ \t]+[\w\[])",
            ),
            (
                "v",
                rb"^(?:module[ \t]+\w+[ \t]*$|(?:pub[ \t]+)?fn[ \t]+[\w(]|import[ \t]+[\w.]+[ \t]*"
                rb"(?:\{|$))",
            ),
        ),
    }
)
"""Further languages of an ending besides its usual language, the most certain first."""

NOTEBOOK: Final = "ipynb"
"""The ending of notebooks; their language is that of their kernel."""

ENDINGS_OF_SEVERAL: Final = tuple(f".{ending}" for ending in (*_BY_ENDING, NOTEBOOK))
"""Endings whose language depends on the content."""

_INTERPRETERS: Final = MappingProxyType(
    {
        name: language
        for language, names in {
            "awk": "awk gawk mawk nawk",
            "bash": "sh bash dash ash ksh mksh zsh bats",
            "clojure": "bb clojure clj",
            "commonlisp": "sbcl clisp ecl",
            "crystal": "crystal",
            "elisp": "emacs",
            "elixir": "elixir iex",
            "erlang": "escript",
            "fish": "fish",
            "fsharp": "fsharpi dotnet-fsi",
            "groovy": "groovy",
            "haskell": "runhaskell runghc stack",
            "javascript": "node nodejs bun qjs rhino",
            "julia": "julia",
            "just": "just",
            "kotlin": "kotlin",
            "lua": "lua luajit texlua",
            "make": "make gmake",
            "nim": "nim",
            "nix": "nix-shell",
            "ocaml": "ocaml ocamlrun",
            "perl": "perl",
            "php": "php",
            "powershell": "pwsh powershell",
            "prolog": "swipl gprolog",
            "python": "python pypy ipython sage uv pipx",
            "r": "Rscript littler",
            "racket": "racket",
            "ruby": "ruby jruby rake",
            "scala": "scala amm scala-cli",
            "scheme": "guile gosh scheme chez csi",
            "swift": "swift",
            "tcl": "tclsh wish expect",
            "typescript": "deno tsx ts-node",
        }.items()
        for name in names.split()
    }
)
_SHEBANG: Final = re.compile(
    rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*(?:\S*/)?)?([A-Za-z][\w+-]*?)"
    rb"[0-9.]*(?:\s|$)"
)
_NOTEBOOK_LINE: Final = re.compile(
    rb"(?://|--|[#;%]) Jupyter notebook in ([a-z0-9+#-]+)$", re.MULTILINE
)
_KERNELS: Final = MappingProxyType(
    {
        "c#": "csharp",
        "c++": "cpp",
        "common-lisp": "lisp",
        "f#": "fsharp",
        "node": "javascript",
        "octave": "matlab",
        "sage": "python",
        "shell": "bash",
    }
)
_EMACS_MODE: Final = re.compile(rb"-\*-[ \t]*(?:[^\n]{0,80}?mode:[ \t]*)?([\w+-]+)[ \t]*(?:;|-\*-)")
_MODES: Final = MappingProxyType(
    {
        "c++": "cpp",
        "cperl": "perl",
        "emacs-lisp": "elisp",
        "js": "javascript",
        "lisp": "commonlisp",
        "shell-script": "bash",
        "sh": "bash",
        "objective-c": "objc",
    }
)


def by_ending(ending: str, usual: str, data: bytes) -> str:
    """Return the language of a file; `usual` is the usual language of files with its ending."""
    for language, clue in _clues(ending):
        if clue.search(data) is not None:
            return language
    return usual


def is_open(ending: str) -> bool:
    """Return whether files with an ending can be in several languages."""
    return ending in _BY_ENDING or ending == NOTEBOOK


@cache
def _clues(ending: str) -> tuple[tuple[str, re.Pattern[bytes]], ...]:
    clues = _BY_ENDING.get(ending, ())
    return tuple((language, re.compile(clue, re.MULTILINE)) for language, clue in clues)


def is_notebook(data: bytes) -> bool:
    """Return whether a text is a converted notebook: a script with cell marks."""
    return _NOTEBOOK_LINE.match(data) is not None


def notebook_language(data: bytes) -> str:
    """Return the language of a notebook's kernel; empty if it is unknown."""
    match = _NOTEBOOK_LINE.match(data)
    name = "" if match is None else match[1].decode()
    name = _KERNELS.get(name, name)
    return name if name in CODE else ""


def by_first_line(data: bytes) -> str:
    """Return the language of the interpreter or editor mode that the first line names."""
    line = data[:FIRST_LINE_BYTES].removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    called = _SHEBANG.match(line)
    if called is not None:
        return _INTERPRETERS.get(called[1].decode(), "")
    mode = _EMACS_MODE.search(line)
    return "" if mode is None else _MODES.get(mode[1].decode("ascii", "replace").lower(), "")

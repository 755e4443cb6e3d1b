"""Constructs that the grammars of Kotlin, F# and the shell do not know cost no definition."""

from collections.abc import Callable

import pytest

from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.languages.bash import with_plain_words
from ggrep.parse.languages.fsharp import without_marks
from ggrep.parse.languages.kotlin import with_plain_heads
from tests.oracle.mentioned import mentions_of

KOTLIN = [
    ("@A(x.Y)\n@B(x.Z)\nannotation class C\n\n@D\nannotation class E\n", "C E"),
    ("@A\n@B class C\n\n@A\n@B(1)\nenum class D { X }\n", "C D X"),
    ("@A\n@B(X)\ninternal fun f() {}\n", "f"),
    (
        "class C<T : Any>\n@Inject\nconstructor(\n  val t: T,\n) : B<T>() {\n  fun f() = t\n}\n",
        "C t f",
    ),
    ("class C<T>(val t: T)\n  where T : Any {\n  fun f() = 1\n}\n", "C t f"),
    ("class C(a: B) : I, J by a {\n  inner class D\n  fun f() = 1\n}\n", "C D f"),
    ("class C {\n  val p: Int by lazy { 1 }\n  fun f() = 1\n}\n", "C p f"),
    ("context(A, B)\nclass C { fun f() {} }\n", "C f"),
    ("fun interface C { fun f() }\n", "C f"),
    (
        "@JvmInline\nvalue class C(val v: Int)\nsealed interface S { data object O : S }\n",
        "C v S O",
    ),
    ('fun data(value: Int) { val open = "${"$value"}" }\nfun inner() {}\n', "data inner"),
]
FSHARP = [
    ("let private f x = x\nlet rec private g x = x\nlet inline internal h x = x\n", "f g h"),
    ("let mutable private a = 1\nlet [<Literal>] B = 2\n", "a B"),
    ("let a, b = 1, 2\nlet (c, d) = a, b\n", "a b c d"),
    ("module rec M\nlet x' = 1\n", "M x'"),
    ("let (|Even|Odd|) n = n\nlet (+.) a b = a\nlet ``a b`` = 1\n", "|Even|Odd| +. a_b"),
    ("type A = { X: int }\nand [<C>] B = | Y\nand D() =\n  member _.M = 1\n", "A X B Y D M"),
    (
        "type A() =\n  [<D>] val mutable q: int\n  static let s = 1\n  static member val P = 1\n",
        "A q s P",
    ),
    ("[<Measure>]\ntype m\ntype [<Measure>] kg\nlet f x = x\n", "m kg f"),
    ("let rec f x = g x\nand private g x = f x\n", "f g"),
]
SHELL = [
    ('a() { echo "${x#"}"}"; }\nb() { echo ${x%%"}"*}; }\nc() { :; }\n', "a b c"),
    ('a() { [[ $x =~ "${y}"[)] ]]; }\nb() { [[ $x == [\\"] ]]; }\nc() { :; }\n', "a b c"),
    ("a() {\n  x=$(cat <<E\nit's\nE\n); }\nb() { :; }\n", "a b"),
    ('a() { cat <<"E" ; }\n()\'"`\nE\nb() { :; }\n', "a b"),
    ("a() { case $x in (a) ;; b) echo;& c) ;;& esac; }\nb() { :; }\n", "a b"),
    ('a() { local -A m=([a b]=1 ["c"]=2); }\nb() { :; }\n', "a b"),
    ("a() { echo !(x) ?(y) $(( 2#1 << 2 )); }\nb() { :; }\n", "a b"),
    ("a() {\n  case $x in\n    2[\\<])\n      echo ;;\n  esac\n}\nb() { :; }\n", "a b"),
    (
        "a() {\n  while [[ $x =~ \\\n    ((^|[^-])-[a-z])\\[?[A-Z]+(\\.\\.+)?"
        " ]]; do :; done\n}\nb() { :; }\n",
        "a b",
    ),
    ("a() { echo `echo \\`ls\\``; }\nb() { echo a\\\nb; }\nc() { :; }\n", "a b c"),
]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        *(("a.kt", text, names) for text, names in KOTLIN),
        *(("a.fs", text, names) for text, names in FSHARP),
        *(("a.sh", text, names) for text, names in SHELL),
    ],
)
def test_outline_and_symbol_tell_each_name(path: str, text: str, names: str) -> None:
    """A name that is printed can be asked for."""
    expected = [name.replace("_", " ") for name in names.split()]
    outlined = outline_file(path, text.encode())
    places = mentions_of(path, text.encode(), expected)

    assert [name for item in outlined for name in item.name.split(", ")] == expected
    assert [
        name
        for name in expected
        if all(place.defined is None for place in places if place.text.strip("`") == name)
    ] == []


@pytest.mark.parametrize(
    ("simpler", "text"),
    [
        *((with_plain_heads, text) for text, _ in KOTLIN),
        *((without_marks, text) for text, _ in FSHARP),
        *((with_plain_words, text) for text, _ in SHELL),
        (with_plain_words, "cat <<E \"$x\" 'y' ${z}\nit's\nE\necho \"open"),
        (with_plain_words, "$(" * 300 + "\"'`<<E\n"),
        (with_plain_heads, "@A" * 300 + "(" * 300 + "\nclass"),
        (without_marks, "let [<" * 300 + "private\n(*"),
    ],
)
def test_a_simpler_text_is_as_long_as_the_file(
    simpler: Callable[[bytes], bytes], text: str
) -> None:
    data = text.encode()

    assert len(simpler(data)) == len(data)

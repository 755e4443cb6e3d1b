"""Where a name stands in a file, and what it is there."""

import pytest

from ggrep.parse.languages.syntax import shown
from ggrep.parse.occurrences.occurrences import mentions
from ggrep.parse.occurrences.words import MAX_MENTIONS, Occurrence, mentions_by_words
from ggrep.parse.workers.jobs import decode_occurrences, encode_occurrences


def told(path: str, text: str, name: str, *, any_case: bool = False) -> list[tuple[int, str]]:
    result = mentions(path, text.encode(), name, any_case=any_case)
    return [(mention.line, mention.kind) for mention in result]


def defined(path: str, text: str, name: str) -> list[tuple[int, str, str]]:
    result = mentions(path, text.encode(), name)
    return [(m.line, m.defined.kind, m.container) for m in result if m.defined]


PYTHON = '''\
import foo as foo
# foo stands here
@foo(1)
def foo(foo, x=foo):
    """foo does it."""
    foo = f"{foo} foo"
    def inner(): return foo
    if x:
        class foo:
            foo: int = 3
            @property
            def foo(self) -> "foo": ...
call(foo=1)
'''


def test_python_s_places_are_told_apart() -> None:
    """Code, strings, comments, the code inside of strings, and definitions at any depth."""
    result = mentions("a.py", PYTHON.encode(), "foo")

    assert [(m.line, m.column, m.kind) for m in result] == [
        (1, 8, "usage"),
        (1, 15, "usage"),
        (2, 3, "comment"),
        (3, 2, "usage"),
        (4, 5, "definition"),
        (4, 9, "usage"),
        (4, 16, "usage"),
        (5, 8, "string"),
        (6, 5, "usage"),
        (6, 14, "usage"),
        (6, 19, "string"),
        (7, 25, "usage"),
        (9, 15, "definition"),
        (10, 13, "definition"),
        (12, 17, "definition"),
        (12, 31, "string"),
        (13, 6, "usage"),
    ]


def test_a_definition_tells_its_head_its_documentation_and_what_is_around_it() -> None:
    """That is what somebody who asks for a name wants to read first."""
    text = "class Box:\n    # Opens it.\n    @wraps(f)\n    def open(self, x: int):\n        pass\n"

    (result,) = mentions("a.py", text.encode(), "open")

    assert result.container == "Box"
    assert result.defined is not None
    assert (result.line, result.defined.start_line, result.defined.end_line) == (4, 2, 5)
    assert result.defined.kind == "method"
    assert result.defined.signature == "def open(self, x: int)"
    assert result.defined.doc == "Opens it."


VALUES = [
    (
        "a.py",
        "TIMES = {\n    'read': 3,\n    'write': 30,\n}\n",
        "TIMES = { 'read': 3, 'write': 30, }",
    ),
    (
        "a.py",
        "TIMES: Final = (\n    'read '\n    'and write'\n)\n",
        "TIMES: Final = ( 'read ' 'and write' )",
    ),
    ("a.py", "class A:\n    TIMES: int\n", "TIMES: int"),
    ("a.ts", "export const TIMES = {\n  a: 1,\n};\n", "export const TIMES = { a: 1, };"),
    ("a.go", "var TIMES = Config{\n\tPort: 80,\n}\n", "var TIMES = Config{ Port: 80, }"),
    ("a.go", "const (\n\tOTHER = 1\n\tTIMES = 1 +\n\t\t2\n)\n", "TIMES = 1 + 2"),
    (
        "a.rs",
        "pub static TIMES: &[u8] = &[\n    1,\n    2,\n];\n",
        "pub static TIMES: &[u8] = &[ 1, 2, ];",
    ),
    (
        "A.java",
        "class A {\n  static final int[] TIMES = {\n    1,\n    2};\n}\n",
        "static final int[] TIMES = { 1, 2};",
    ),
]


@pytest.mark.parametrize(("path", "text", "reported"), VALUES)
def test_a_constant_tells_its_value_over_all_of_its_lines(
    path: str, text: str, reported: str
) -> None:
    (value,) = (m.defined.signature for m in mentions(path, text.encode(), "TIMES") if m.defined)

    assert value == reported


@pytest.mark.parametrize("items", [90, 10_000])
def test_a_long_value_says_that_it_is_cut(items: int) -> None:
    """Where it is, its range says."""
    text = f"TIMES = [{', '.join(map(str, range(items)))}]\n"
    (value,) = (m.defined.signature for m in mentions("a.py", text.encode(), "TIMES") if m.defined)

    assert value.startswith("TIMES = [0, 1, 2")
    assert value.endswith("…")
    assert len(value) <= 241


DEFINITIONS = [
    (
        "a.py",
        "try:\n    def f(): pass\nexcept E:\n    f = None\n",
        "f",
        [(2, "function", ""), (4, "constant", "")],
    ),
    ("a.py", "def g():\n    x = 1\n    return x\n", "x", []),
    ("a.js", "const f = () => { f(); };\n", "f", [(1, "function", "")]),
    ("a.js", "module.exports = function run() {};\n", "run", [(1, "function", "")]),
    ("a.js", "class A { run() { this.run(); } }\n", "run", [(1, "method", "A")]),
    ("a.js", "exports.a = { b };\nfunction b() {}\n", "b", [(2, "function", "")]),
    ("a.ts", "class A { constructor(private x: B) { this.x; } }\n", "x", [(1, "field", "A")]),
    (
        "a.ts",
        "interface P { id: string }\nenum E { id }\n",
        "id",
        [(1, "field", "P"), (2, "field", "E")],
    ),
    (
        "a.c",
        "int run(int run);\nint run(int a) { return run(a); }\n",
        "run",
        [(1, "function", ""), (2, "function", "")],
    ),
    (
        "a.c",
        "typedef struct node { int node; } node;\n",
        "node",
        [(1, "class", ""), (1, "field", "node")],
    ),
    ("a.cpp", "void A::run() { Lock run(m); }\n", "run", [(1, "function", "A")]),
    (
        "a.cpp",
        "template <class T>\nclass Box { Box(); ~Box(); };\n",
        "Box",
        [(2, "class", ""), (2, "method", "Box")],
    ),
    ("a.go", "func (s *Set) Add(s int) { s.Add(1) }\n", "Add", [(1, "method", "Set")]),
    ("a.go", "const (\n\tA = iota\n\tB\n)\n", "B", [(3, "constant", "")]),
    ("a.rs", "struct S;\nimpl S { fn new() -> S { S } }\n", "S", [(1, "class", "")]),
    ("a.rs", "enum E { A(u8) }\nmacro_rules! m { () => {} }\n", "A", [(1, "field", "E")]),
    (
        "A.java",
        "class A { A(A a) {} @A int b() { return 1; } }\n",
        "A",
        [(1, "class", ""), (1, "method", "A")],
    ),
    (
        "a.rb",
        "class A\n  attr_reader :b\n  def c; b; end\n  private def d; end\nend\n",
        "b",
        [(2, "method", "A")],
    ),
    ("a.rb", "class A\n  def ok?; end\n  def ok; ok?; end\nend\n", "ok", [(3, "method", "A")]),
    ("a.rb", "class A\n  def ok?; end\n  def ok; ok?; end\nend\n", "ok?", [(2, "method", "A")]),
    (
        "a.php",
        "<?php\nclass A { private $b; function c() { return $this->b; } }\n",
        "b",
        [(2, "field", "A")],
    ),
    (
        "a.ex",
        "defmodule A do\n  def f(0), do: f(1)\n  def f(n), do: n\nend\n",
        "f",
        [(2, "function", "A")],
    ),
    ("a.hs", "f :: Int -> Int\nf 0 = 1\nf n = f (n - 1)\n", "f", [(1, "function", "")]),
    ("a.kt", "class A(val b: Int) { fun c() = b }\n", "b", [(1, "field", "A")]),
    ("a.cs", "class A { int b; void C() { b = 1; } }\n", "b", [(1, "field", "A")]),
    ("a.sh", "run() {\n  run\n}\n", "run", [(1, "function", "")]),
    (
        "a.cpp",
        'FLAG_OF(int, a, 1, "a {");\nFLAG_OF(int, b, 2, "b");\n\nnamespace n { int a; }\n',
        "n",
        [(4, "module", "")],
    ),
    ("a.cpp", "NAMESPACE_BEGIN\ntemplate <class T> struct A<T*> {};\n", "A", [(2, "class", "")]),
    (
        "a.cpp",
        "struct A {\n  bool operator ==(A b);\n  bool operator=(A b);\n};\n",
        "operator==",
        [(2, "method", "A")],
    ),
    ("a.cpp", "struct A { void operator ()(int); };\n", "operator()", [(1, "method", "A")]),
    (
        "a.cpp",
        "struct A { operator const char*() const; A operator+(A); };\n",
        "operator const char*",
        [(1, "method", "A")],
    ),
    ("a.cpp", "struct A { operator const char*() const; A operator+(A); };\n", "operator", []),
    ("a.cpp", "A::operator bool() const { return a; }\n", "operator bool", [(1, "function", "A")]),
    ("a.cpp", "A::operator bool() const { return a; }\n", "bool", []),
    ("a.c", "void f(void) {\n#define STEP(x) x\n  STEP(1);\n}\n", "STEP", [(2, "constant", "f")]),
    ("a.c", "struct POINT_T p;\nint READ_IT(int a);\n", "READ_IT", [(2, "function", "")]),
    (
        "a.js",
        "Box.prototype.open = deprecate(function () {});\nBox.prototype.open();\n",
        "open",
        [(1, "method", "Box")],
    ),
    ("a.js", "Box.prototype.size = 3;\nbox.size = 4;\n", "size", [(1, "constant", "Box")]),
    ("a.js", "Box.Lid = class BoxLid {};\nnew Box.Lid();\n", "Lid", [(1, "field", "")]),
    ("a.js", "Box.Lid = class BoxLid {};\nnew BoxLid();\n", "BoxLid", [(1, "class", "")]),
    (
        "a.js",
        "const late = once(() => require('./late'));\nlate();\n",
        "late",
        [(1, "constant", "")],
    ),
    ("a.js", "const late = require('./late');\nlate();\n", "late", []),
    ("a.js", "function g() {\n  var a = 1, f = function () {};\n}\n", "f", [(2, "function", "g")]),
    ("a.js", "const a = { 'a-b': 1, c: 'a-b' };\n", "a-b", [(1, "field", "a")]),
    ("a.js", "const a = { 'b'() {} };\n", "b", [(1, "method", "a")]),
    (
        "a.ts",
        "interface A {\n  <T>(a: T): T\n  // b\n  <U>(u: U, b: U): U\n  c: U\n}\n",
        "c",
        [(5, "field", "A")],
    ),
    (
        "a.ts",
        "declare const f: <A>(a: A) =>\n  <B>(b: B) => C\ndeclare const g: C\n",
        "g",
        [(3, "constant", "")],
    ),
    (
        "a.d.ts",
        "declare const f: (a: import('./k').Kind<'A', B>) => B\ndeclare const Kind: C\n",
        "Kind",
        [(2, "constant", "")],
    ),
    (
        "a.hs",
        "#if A\nf :: Int\nf = 1\n#else\ng :: Int\ng = 2\n#endif\n",
        "g",
        [(5, "function", "")],
    ),
    (
        "a.hs",
        "#if A\nf :: Int\nf = 1\n#else\ng :: Int\ng = 2\n#endif\n",
        "f",
        [(2, "function", "")],
    ),
]


def test_what_is_hidden_from_the_parser_keeps_its_own_places() -> None:
    """A macro is used where it stands, and a text in its brackets stays a text."""
    text = 'class API_OF Box {\n  int a GUARDED_BY(a);\n};\nFLAG_OF(a, "a");\n'

    assert told("a.cpp", text, "API_OF") == [(1, "usage")]
    assert told("a.cpp", text, "a") == [
        (2, "definition"),
        (2, "usage"),
        (4, "usage"),
        (4, "string"),
    ]


@pytest.mark.parametrize("language", ["c", "cpp", "haskell", "typescript"])
@pytest.mark.parametrize(
    "text",
    [
        b"#if A\n" * 2000,
        b"A_B(" * 20_000,
        b"class " + b"A_B " * 20_000,
        b") A_B(x)" * 10_000,
        b"x y A_B(" + b'"' * 20_000,
        b"x\n /* * " * 10_000,
        b"int a" * 20_000,
        b"<A" + b"\n " * 20_000,
    ],
    ids=lambda text: str(text[:8]),
)
@pytest.mark.slow
@pytest.mark.timeout(20)
def test_hiding_takes_time_in_proportion_and_moves_nothing(language: str, text: bytes) -> None:
    """A hostile file may not keep a reader busy."""
    parsed = shown(language, text)

    assert len(parsed) == len(text)
    assert parsed.count(b"\n") == text.count(b"\n")


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"), DEFINITIONS, ids=lambda value: str(value)[:24]
)
def test_definitions_are_found_and_nothing_else_is_one(
    path: str, text: str, name: str, expected: list[tuple[int, str, str]]
) -> None:
    """A parameter, a local or a call that is taken for a definition sends people astray."""
    assert defined(path, text, name) == expected


def test_sql_defines_what_it_creates() -> None:
    """Tables and functions are what people look for in it."""
    text = (
        "-- Who may log in.\nCREATE TABLE IF NOT EXISTS app.users (\n  id int\n);\n\n"
        "create or replace function\n  users() returns int as 'select 1';\n-- users\n"
        "select id from users;\n"
    )
    result = mentions("a.sql", text.encode(), "users")

    assert [m.kind for m in result] == ["definition", "definition", "comment", "usage"]
    first, second = (m.defined for m in result if m.defined)
    assert (first.kind, first.start_line, first.end_line, first.doc) == (
        *("class", 1, 4),
        "Who may log in.",
    )
    assert first.signature == "CREATE TABLE IF NOT EXISTS app.users ( id int )"
    assert (second.kind, second.start_line, second.end_line) == ("function", 6, 9)


def test_the_clauses_of_one_function_are_one_definition() -> None:
    """Each clause names the function; it is told once, with all of its lines."""
    result = mentions(
        "a.ex", b"defmodule A do\n  def f(0), do: 0\n  def f(n), do: f(n - 1)\nend\n", "f"
    )

    assert [m.kind for m in result] == ["definition", "definition", "usage"]
    assert result[0].defined is not None
    assert (result[0].defined.end_line, result[1].defined) == (3, None)


@pytest.mark.parametrize(
    ("path", "text", "kinds"),
    [
        ("a.js", "`a ${a} a`; // a\n", ["string", "usage", "string", "comment"]),
        ("a.rb", '"#{a} a" # a\n:a\n', ["usage", "string", "comment", "usage"]),
        ("a.sh", "echo \"$a a\" 'a' # a\n", ["usage", "string", "string", "comment"]),
        ("a.php", '<?php "$a a"; // a\n', ["usage", "string", "comment"]),
        ("a.go", 'x := "a" + `a` + a // a\n', ["string", "string", "usage", "comment"]),
        ("a.rs", '/// a\nfn f() { g!(a, "a"); }\n', ["comment", "usage", "string"]),
        ("a.md", "The a of `a`.\n", ["comment", "comment"]),
        ("a.yaml", "a: b\n", ["comment"]),
        ("a.json", '{"a": "a b"}\n', ["comment", "comment"]),
        ("a.prisma", "model a { b a }\n", ["usage", "usage"]),
    ],
)
def test_strings_and_comments_are_told_from_code(path: str, text: str, kinds: list[str]) -> None:
    assert [kind for _, kind in told(path, text, "a")] == kinds


def test_only_whole_names_count_in_every_script() -> None:
    """`é` is a letter to people who write it."""
    text = "foo = food + _foo + foo1 + fooé + éfoo + foo.foo\nø = 1; foo\n"
    result = mentions("a.py", text.encode(), "foo")

    assert [(m.line, m.column) for m in result] == [(1, 1), (1, 42), (1, 46), (2, 8)]
    assert told("a.js", "$foo; foo$; foo;\n", "foo") == [(1, "usage")]
    assert told("a.js", "$foo;\n", "$foo") == [(1, "usage")]
    assert told("a.clj", "(foo-bar foo)\n", "foo") == [(1, "usage")]


def test_other_spellings_count_when_they_are_asked_for() -> None:
    result = mentions("a.py", b"class HttpPool: pass\n", "httppool", any_case=True)

    assert [(m.text, m.kind) for m in result] == [("HttpPool", "definition")]
    assert told("a.py", "class HttpPool: pass\n", "httppool") == []


def test_bytes_that_are_no_text_do_not_move_places() -> None:
    """One wrong byte may not send all places behind it elsewhere."""
    result = mentions("a.py", b"x = '\xff\xe9'\ndef foo(): pass\n", "foo")

    assert [(m.line, m.column, m.kind) for m in result] == [(2, 5, "definition")]
    assert decode_occurrences(encode_occurrences(result)) == result


def test_a_file_full_of_a_name_is_told_up_to_a_bound() -> None:
    """An answer has to end."""
    result = mentions_by_words("a.txt", b"a " * (MAX_MENTIONS + 5), "a")

    assert len(result) == MAX_MENTIONS


def test_deeply_nested_text_is_read_to_a_bound() -> None:
    """A path from the root is no longer than what is looked at of it."""
    text = b"a = " + b"[" * 3000 + b"a" + b"]" * 3000 + b"\n"

    assert [m.kind for m in mentions("a.py", text, "a")] == ["definition", "usage"]


def test_answers_survive_the_pipe() -> None:
    result: tuple[Occurrence, ...] = mentions("a.py", PYTHON.encode(), "foo")

    assert decode_occurrences(encode_occurrences(result)) == result

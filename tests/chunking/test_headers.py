"""A definition's head and documentation come with its chunk, as people read them."""

import pytest

from ggrep.base.ids import PathKey
from ggrep.model.corpus import Corpus
from ggrep.model.files import Chunk
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.headers import MAX_DOC_CHARACTERS, clean_doc
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from tests.oracle.readers import chunks, defined, outlined

SOURCES = {
    "a.py": (
        "@cached(\n    size=3,\n)\ndef load(key: str,\n         tries: int = 3) -> bytes:\n"
        '    """Read one value.\n\n    Twice at most.\n    """\n    return b""\n',
        "def load(key: str, tries: int = 3) -> bytes",
        "Read one value.\nTwice at most.",
    ),
    "a.go": (
        "package a\n\n// Load reads one value.\n// Twice at most.\n"
        "func (s *Store) Load(key string) error {\n\treturn nil\n}\n",
        "func (s *Store) Load(key string) error",
        "Load reads one value.\nTwice at most.",
    ),
    "a.rs": (
        "/// Reads one value.\n#[inline]\npub fn load(key: &str) -> u8 {\n    1\n}\n",
        "pub fn load(key: &str) -> u8",
        "Reads one value.",
    ),
    "A.java": (
        "class A {\n  /**\n   * Reads one value.\n   *\n   * @param key what to read\n   */\n"
        "  byte[] load(String key) {\n    return null;\n  }\n}\n",
        "class A",
        "",
    ),
    "a.c": (
        "/* ---- reading ---- */\n\n/* Reads one value. */\nint load(const char *key)\n{\n"
        "    return 1;\n}\n",
        "int load(const char *key)",
        "Reads one value.",
    ),
    "run": (
        "#!/usr/bin/env python3\ndef load(key):\n    return key\n",
        "def load(key)",
        "",
    ),
    "run.sh": (
        '#!/bin/sh -eu\n# Reads one value.\nload() {\n  cat "$1"\n}\n',
        "load()",
        "Reads one value.",
    ),
    "a.graphql": (
        '"""Reads one value."""\ntype Load implements Task {\n  key: String\n}\n',
        "type Load implements Task",
        "Reads one value.",
    ),
    "a.ts": (
        "// eslint-disable-next-line\nexport async function load(key: string): Promise<number> {\n"
        "  return 1\n}\n",
        "export async function load(key: string): Promise<number>",
        "eslint-disable-next-line",
    ),
}


def chunk_of(name: str, text: str) -> Chunk:
    data = text.encode()
    chunked = to_chunks(PathKey(name), data, chunk_file(name, data, ChunkLimits()), Corpus.CODE)
    return next(chunk for chunk in chunked.chunks if chunk.name)


@pytest.mark.parametrize("name", SOURCES)
def test_the_head_and_the_documentation_are_told_apart_from_the_body(name: str) -> None:
    """An agent decides by the signature and the first sentence whether to open the file."""
    text, signature, doc = SOURCES[name]

    chunk = chunk_of(name, text)

    assert (chunk.signature, chunk.doc) == (signature, doc)


def test_a_comment_apart_from_the_definition_documents_nothing() -> None:
    """A licence above an empty line says nothing of the function below it."""
    chunk = chunk_of("a.go", "package a\n\n// Licence.\n\nfunc Load() {}\n")

    assert chunk.doc == ""


def test_later_parts_of_a_large_definition_do_not_repeat_its_documentation() -> None:
    """Words of the comment must not count once for each part."""
    body = "".join(f"    x{number} = {number}\n" for number in range(300))
    data = f'def load():\n    """Read one value."""\n{body}'.encode()
    plan = chunk_file("a.py", data, ChunkLimits())

    parts = to_chunks(PathKey("a.py"), data, plan, Corpus.CODE).chunks[1:]

    assert len(parts) > 1
    assert [part.doc for part in parts] == ["Read one value."] + [""] * (len(parts) - 1)


@pytest.mark.parametrize(
    ("comment", "prose"),
    [
        ("-- | Reads one value.\n-- Twice.", "Reads one value.\nTwice."),
        ("{- Reads one value. -}", "Reads one value."),
        (";; Reads one value.", "Reads one value."),
        ("# Reads one value.\n#\n# Twice.", "Reads one value.\nTwice."),
        ("//! Reads one value.", "Reads one value."),
        ('r"""Reads a "value"."""', 'Reads a "value".'),
        ("/** * starred * words */", "starred * words"),
    ],
)
def test_comment_marks_of_common_languages_go(comment: str, prose: str) -> None:
    """Marks are noise to a reader and to a search."""
    assert clean_doc(comment) == prose


def test_documentation_is_bounded() -> None:
    """A licence of a thousand lines must not be stored twice."""
    assert len(clean_doc("# word\n" * 10_000)) <= MAX_DOC_CHARACTERS


CASES = {
    "in front of a class": (
        "class FOO_EXPORT Bar : public Base {\n  Q_OBJECT\npublic:\n  void run();\n};\n",
        ["1-5 class Bar", "4-4 method Bar.run"],
    ),
    "with arguments, attributes and alignment": (
        "class ALIGNED(16) X { int a; };\n"
        "struct __attribute__((packed)) FOO_API P { int p; };\n"
        "class [[nodiscard]] FOO_API alignas(8) N final : public A, private virtual B { int n; };\n"
        "class __declspec(dllexport) D : public B { int d; };\n"
        "union FOO_UNION U { int u; };\n"
        "enum class FOO_EXPORT E : unsigned { kA };\n"
        "enum FOO_ENUM(x) F { kF };\n",
        [
            *("1-1 class X", "1-1 field X.a", "2-2 class P", "2-2 field P.p", "3-3 class N"),
            *("3-3 field N.n", "4-4 class D", "4-4 field D.d", "5-5 class U", "5-5 field U.u"),
            *("6-6 enum E", "6-6 field E.kA", "7-7 enum F", "7-7 field F.kF"),
        ],
    ),
    "after a comment that contains the word": (
        "// A class for paths which\n// are names of files.\n\n"
        "class FOO_API [[nodiscard]] Path {\n  int size;\n};\n"
        "/* https://x.org */ class FOO_API Site : public Base { int port; };\n"
        'const char* URL = "http://x"; class FOO_API Link : public Base { int hops; };\n',
        [
            *("4-6 class Path", "5-5 field Path.size", "7-7 class Site", "7-7 field Site.port"),
            *("8-8 class Link", "8-8 constant URL", "8-8 field Link.hops"),
        ],
    ),
    "behind a name": (
        "class Impl CV_FINAL : public EM { int a; };\n"
        "class FOO_EXPORT Two final, public B { int go(); };\n"
        "class foo_api Lower : public Q { int low(); };\n",
        [
            *("1-1 class Impl", "1-1 field Impl.a", "2-2 class Two", "2-2 method Two.go"),
            *("3-3 class Lower", "3-3 method Lower.low"),
        ],
    ),
    "over many lines": (
        "/// Doc.\nFOO_EXPORT\ntemplate <typename T>\nclass\nFOO_API\nSplit\n  final\n"
        "  : public Baz\n{\n  T t;\n};\n",
        ["1-11 class Split", "10-10 field Split.t"],
    ),
    "in front of templates, functions and variables": (
        "FOO_EXPORT template <typename T> class Tpl { T value; };\n"
        "FMT_CONSTEXPR20 auto f(int a) -> int;\n"
        "static FORCE_INLINE int g(int b) { return b; }\n"
        'FOO_DEPRECATED("no; use f") FOO_API void old();\n'
        "FOO_EXPORT extern const char* names[];\n"
        "_LIBCPP_HIDE_FROM_ABI void h();\n"
        "void WINAPI called(int x) {}\n"
        "Q_INLINE_TEMPLATE void Map<K, V>::clear() {}\n"
        "template <> inline FOO_CONST short cast<short>(int v) { return v; }\n"
        "template<> __device__ __forceinline__ char cast<char>(int v) { return v; }\n",
        [
            *("1-1 class Tpl", "1-1 field Tpl.value", "2-2 function f", "3-3 function g"),
            *("4-4 function old", "5-5 constant names", "6-6 function h", "7-7 function called"),
            *("8-8 function Map.clear", "9-9 function cast", "10-10 function cast"),
        ],
    ),
    "among members": (
        "class X : public Y {\n  Q_OBJECT\n  Q_PROPERTY(int size READ size)\n  DECLARE_X(Y)\n"
        "  DISALLOW_COPY(X);\npublic slots:\n  Q_INVOKABLE void a();\nsignals:\n  void b();\n"
        "private Q_SLOTS:\n  V8_INLINE static int c() { return 1; }\nQ_SIGNALS:\n"
        "  int size_ GUARDED_BY(lock_);\n  void d() EXCLUSIVE_LOCKS(lock_) { }\n"
        "  void e() const OVERRIDE FINAL;\n  FOO_CONSTEXPR X(int x) : size_(x) {}\n};\n",
        [
            *("1-17 class X", "7-7 method X.a", "9-9 method X.b", "11-11 method X.c"),
            *("13-13 field X.size_", "14-14 method X.d", "15-15 method X.e", "16-16 method X.X"),
        ],
    ),
    "tests": (
        'TEST_CASE_TEMPLATE("some test", T, float, double)\n{\n  int inside;\n}\n'
        "class Kettle : public Base\n{\n  void boil(float amount);\n};\n"
        'TEST_CASE_METHOD(Fixture, "name") {}\n'
        "BOOST_AUTO_TEST_CASE(checks) { int x; }\n"
        "BOOST_FIXTURE_TEST_CASE(fits, Fixture)\n{\n}\n"
        "PARAM_TEST_CASE(Reduce, std::pair<int, int>, bool) { int x; }\n"
        "  TEST_P(Suite, Name) { }\n"
        "class After {};\n",
        [
            *("5-8 class Kettle", "7-7 method Kettle.boil", "10-10 function checks"),
            *("11-13 function fits", "14-14 function Reduce", "15-15 function Suite.Name"),
            "16-16 class After",
        ],
    ),
    "mocks": (
        "struct M : I {\n  MOCK_METHOD(int, GetSize, (), (const, override));\n"
        "  MOCK_METHOD((std::map<int, int>), Get, (int a, (std::pair<int, int>) b));\n"
        "  MOCK_CONST_METHOD1(Old, int(int));\n};\n",
        ["1-5 class M", "2-2 method M.GetSize", "3-3 method M.Get", "4-4 method M.Old"],
    ),
    "namespaces": (
        "_LIBCPP_BEGIN_NAMESPACE_STD\nstruct First { int a; };\n_LIBCPP_END_NAMESPACE_STD\n"
        "namespace std _GLIBCXX_VISIBILITY(default) {\nstruct A { int a; };\n}\n"
        "namespace FOO_NS b { struct C { int c; }; }\n"
        "FOO_API_BEGIN class Wrapped { int w; }; FOO_API_END\nint last();\n",
        [
            *("2-2 class First", "2-2 field First.a", "4-6 module std", "5-5 class std.A"),
            *("5-5 field std.A.a", "7-7 class b.C", "7-7 field b.C.c", "7-7 module b"),
            *("8-8 class Wrapped", "8-8 field Wrapped.w", "9-9 function last"),
        ],
    ),
    "what is no class": (
        "int takes(int a, FOO(class Hidden) b);\nMACRO_WITH(class NotOne, struct NotTwo);\n"
        "enum Type kind : 4;\nstruct point origin(int x) { return p; }\n"
        "struct STATE state = {\n  FIRST\n};\nDWORD value(int x) { return x; }\n"
        "void body() {\n  Mat local(other);\n  CHECK_EQ(a, b);\n}\nint last();\n",
        [
            *("1-1 function takes", "3-3 constant kind", "4-4 function origin"),
            *("5-7 constant state", "8-8 function value", "9-12 function body"),
            "13-13 function last",
        ],
    ),
    "names that are words elsewhere": (
        "struct A { int module; void import(int x); int concept_; int final; };\n"
        "void module_of(int module) { module = 1; }\n"
        "template <class T> concept Addable = requires(T a) { a + a; };\n"
        "template <class T> requires Addable<T> T add(T a, T b) { return a; }\n",
        [
            *("1-1 class A", "1-1 field A.concept_", "1-1 field A.final", "1-1 field A.module"),
            *("1-1 method A.import", "2-2 function module_of", "3-3 interface Addable"),
            "4-4 function add",
        ],
    ),
    "operators and friends": (
        "struct A { operator bool() const; friend bool operator==(A a, A b) { return true; } };\n"
        "A::operator int() { return 1; }\ninline A::operator uchar() { return 1; }\n",
        [
            *("1-1 class A", "1-1 method A.operator bool", "1-1 method A.operator=="),
            *("2-2 function A.operator int", "3-3 function A.operator uchar"),
        ],
    ),
    "branches": (
        "class FOO_EXPORT Device\n#ifndef NO_OBJECT\n    : public Object\n#endif\n{\npublic:\n"
        "  int first(int a\n#ifndef DOC\n    , int = 1\n#endif\n  );\n"
        "  Device(int b) : a(1)\n#if X\n    , c(2)\n#else\n    , c(3)\n#endif\n  { }\n"
        "  void go() {\n#ifdef X\n    if (a) { b(); } else\n#endif\n    { c(); }\n  }\n};\n"
        "class\n#if SHARED\nFOO_EXPORT\n#endif\nNamed { int last; };\n",
        [
            *("1-25 class Device", "7-11 method Device.first", "12-18 method Device.Device"),
            *("19-24 method Device.go", "26-30 class Named", "30-30 field Named.last"),
        ],
    ),
    "one definition in two nodes": (
        "/* Box. */\ntypedef struct CvBox\n{\n  int a;\n} CvBox;\n"
        'extern "C" FOO_API void c_function(void);\nextern "C"\nint other(void) { return 1; }\n',
        [
            *("1-5 class CvBox", "4-4 field CvBox.a", "6-6 function c_function"),
            "7-8 function other",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_a_mark_costs_no_definition_its_name(text: str, expected: list[str]) -> None:
    """Search, outline and `symbol` tell the same names and lines."""
    data = text.encode()
    reported = outlined("a.hpp", data)
    named = {name for chunk in chunks("a.hpp", data) for name in chunk.names}

    assert [
        f"{each.start_line}-{each.end_line} {each.kind} {each.name}" for each in reported
    ] == expected
    assert defined("a.hpp", data) == reported
    assert {each.own_name for each in reported} <= named

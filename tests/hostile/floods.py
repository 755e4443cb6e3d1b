"""Texts that were made to keep a parser busy: one flood a name, of any size.

Each is made when asked for; none is kept. A flood of the real size belongs in the deep suite.
"""

from collections.abc import Callable

from msgspec import Struct

Make = Callable[[int], bytes]


class Flood(Struct, frozen=True):
    """One hostile text.

    Attributes:
        name: unique among all kinds.
        path: what its file is called; the ending picks who reads it.
        make: returns about that many bytes of it.
    """

    name: str
    path: str
    make: Make


def repeated(unit: bytes, head: bytes = b"", tail: bytes = b"") -> Make:
    """Return a maker of `head`, the unit as often as fits, and `tail`."""
    return lambda size: head + unit * max(1, size // len(unit)) + tail


def nested(opening: bytes, closing: bytes, middle: bytes = b"1") -> Make:
    """Return a maker of one thing inside the other, closed in the end."""

    def make(size: int) -> bytes:
        depth = max(1, size // (len(opening) + len(closing)))
        return opening * depth + middle + closing * depth

    return make


def numbered(line: str, head: str = "", tail: str = "") -> Make:
    """Return a maker of a line that holds its own number as `{n}`."""

    def make(size: int) -> bytes:
        lines = max(1, size // len(line.format(n=10000)))
        return (head + "".join(line.format(n=n) for n in range(lines)) + tail).encode()

    return make


def doubling(line: str) -> Make:
    """Return a maker of entities of which each stands for ten of the one before: laughs."""
    return numbered(line)


def indents(size: int) -> bytes:
    """Return Python in which every line lies one deeper, as far as the size allows."""
    depth = int((2 * size) ** 0.5)
    return b"".join(b" " * level + b"if x:\n" for level in range(depth)) + b" " * depth + b"pass\n"


def mixed_ends(size: int) -> bytes:
    """Return lines that end in each of the ways there are, and in none."""
    return b"a = 1\r\nb = 2\rc = 3\n\r\x0b\x0c\xc2\x85\xe2\x80\xa8" * (size // 30)


def late_nul(size: int) -> bytes:
    """Return text whose first NUL lies behind what is looked at for one."""
    return b"x = 1\n" * 1500 + b"\0" + b"y = 2\n" * max(1, (size - 9001) // 6)


FLOODS = (
    Flood("one_line", "one_line.js", repeated(b"a=b+c;")),
    Flood("minified", "minified.js", numbered("function f{n}(a,b){{return a?b:function(){{}}}};")),
    Flood("parens_python", "parens.py", repeated(b"(")),
    Flood("parens_c", "parens.c", repeated(b"(")),
    Flood("brackets_javascript", "brackets.js", repeated(b"[")),
    Flood("braces_json", "braces.json", repeated(b'{"a":')),
    Flood("braces_go", "braces.go", repeated(b"{")),
    Flood("closers_java", "closers.java", repeated(b"})]")),
    Flood("deep_json", "deep.json", nested(b"[", b"]")),
    Flood("deep_yaml", "deep.yaml", repeated(b"- ", tail=b"a\n")),
    Flood("flow_yaml", "flow.yaml", nested(b"[", b"]")),
    Flood("deep_xml", "deep.xml", nested(b"<a>", b"</a>")),
    Flood("deep_html", "deep.html", nested(b"<div id=a>", b"</div>")),
    Flood("open_tags", "open_tags.html", repeated(b'<a href="')),
    Flood("open_comments", "open_comments.xml", repeated(b"<!--")),
    Flood("quotes_markdown", "quotes.md", repeated(b">", tail=b" a\n")),
    Flood("lists_markdown", "lists.md", repeated(b"- ", tail=b"a\n")),
    Flood("backticks", "backticks.md", repeated(b"`", tail=b" a\n")),
    Flood("fences", "fences.md", repeated(b"```\n````\n")),
    Flood("emphasis", "emphasis.md", repeated(b"*_a")),
    Flood("links_markdown", "links.md", repeated(b"[a](")),
    Flood("headings", "headings.md", repeated(b"# a\n")),
    Flood("hashes", "hashes.md", repeated(b"#")),
    Flood("underlines", "underlines.md", repeated(b"a\n=\n")),
    Flood("laughs_xml", "laughs.xml", doubling('<!ENTITY a{n}1 "&a{n};&a{n};&a{n};&a{n};">\n')),
    Flood("laughs_yaml", "laughs.yaml", doubling("a{n}1: &a{n}1 [*a{n}, *a{n}, *a{n}, *a{n}]\n")),
    Flood("macros_c", "macros.c", numbered("#define X{n}1 X{n} X{n} X{n} X{n}\n")),
    Flood("conditionals_c", "conditionals.c", repeated(b"#if A\n#ifdef B\n")),
    Flood("templates_cpp", "templates.cpp", nested(b"a<", b">")),
    Flood("angles_cpp", "angles.cpp", repeated(b"a<b>>c<")),
    Flood("templates_open_cpp", "templates_open.cpp", repeated(b"template<class T,")),
    Flood("stars_c", "stars.c", repeated(b"*", head=b"int ")),
    Flood("ternaries", "ternaries.ts", repeated(b"a?b:(")),
    Flood("generics", "generics.ts", repeated(b"f<T<")),
    Flood("jsx", "jsx.tsx", repeated(b"<a>")),
    Flood("arrows", "arrows.js", repeated(b"(a,b=>")),
    Flood("regexes", "regexes.js", repeated(b"/[/")),
    Flood("templates_js", "templates.js", repeated(b"`${")),
    Flood("indents", "indents.py", indents),
    Flood("decorators", "decorators.py", repeated(b"@a\n", tail=b"def f(): pass\n")),
    Flood("lambdas", "lambdas.py", repeated(b"lambda x:")),
    Flood("fstrings", "fstrings.py", repeated(b'f"{')),
    Flood("not_python", "not.py", repeated(b"not ")),
    Flood("triple_quotes", "triple.py", repeated(b'"""\n""" a\n"')),
    Flood("heredocs_ruby", "heredocs.rb", numbered("a <<~E{n}, <<~F{n}\n")),
    Flood("heredocs_bash", "heredocs.sh", numbered("cat <<E{n} <<F{n}\n")),
    Flood("heredocs_php", "heredocs.php", numbered("$a = <<<E{n}\n", head="<?php ")),
    Flood("subshells", "subshells.sh", repeated(b"$(")),
    Flood("ends_ruby", "ends.rb", repeated(b"do |a| if a\n")),
    Flood("open_string", "open_string.go", repeated(b"a `b\n")),
    Flood("open_comment", "open_comment.rs", repeated(b"/* /* ")),
    Flood("raw_strings", "raw.rs", numbered('r{n}#####"')),
    Flood("macros_rust", "macros.rs", repeated(b"m!{$($a:tt)*")),
    Flood("where_haskell", "where.hs", repeated(b"f x = case x of a -> do\n  ")),
    Flood("comments_haskell", "comments.hs", repeated(b"{- ")),
    Flood("closures_swift", "closures.swift", repeated(b"{ a in ")),
    Flood("chain_swift", "chain.swift", repeated(b"a+-!b", head=b"let x = ")),
    Flood("strings_kotlin", "strings.kt", repeated(b'"${')),
    Flood("strings_csharp", "strings.cs", repeated(b'$"{')),
    Flood("generics_csharp", "generics.cs", repeated(b"a<b,")),
    Flood("pipes_elixir", "pipes.ex", repeated(b"|> a do\n")),
    Flood("sigils_elixir", "sigils.ex", repeated(b'~s"#{')),
    Flood("levels_lua", "levels.lua", repeated(b"[=[ [==[ ")),
    Flood("chain_scala", "chain.scala", repeated(b"a match { case b => ")),
    Flood("chain_zig", "chain.zig", repeated(b"if (a) b else ")),
    Flood(
        "graphql", "flood.graphql", numbered("type T{n} {{ a(b: [Int!]!): [T{n}!]! @c(d: 1) }}\n")
    ),
    Flood("fields_graphql", "fields.graphql", repeated(b"{a")),
    Flood("messages_proto", "flood.proto", numbered("message M{n} {{ optional int32 a = 1; }}\n")),
    Flood("deep_proto", "deep.proto", repeated(b"message M { ")),
    Flood("creates_sql", "flood.sql", numbered("create table t{n} (a int, b text);\n")),
    Flood("open_sql", "open.sql", repeated(b"create function f() as $a$ begin\n")),
    Flood("mermaid", "flood.mmd", numbered("a{n} -->|b| c{n} & d{n}\n", head="graph TD\n")),
    Flood("mermaid_line", "line.mmd", repeated(b"a --> b & c ", head=b"graph TD\n")),
    Flood("mermaid_fences", "mermaid.md", repeated(b"```mermaid\ngraph TD\na-->b\n```\n")),
    Flood("rst", "flood.rst", repeated(b".. a::\n\n   b\n====\n")),
    Flood("asciidoc", "flood.adoc", repeated(b"== a\n----\n====\n")),
    Flood("toml", "flood.toml", numbered("[[a.b{n}.c]]\nd = '''\n")),
    Flood("ini", "flood.ini", numbered("[s{n}]\na = 1 \\\n")),
    Flood("hcl", "flood.tf", repeated(b'a "b" { c = <<E\n')),
    Flood("css", "flood.css", repeated(b"a{b:c;@media{")),
    Flood("make", "flood.mk", repeated(b"a: b \\\n\tdefine c\n")),
    Flood("dockerfile", "Dockerfile", repeated(b"RUN <<E a \\\n")),
    Flood("cell_csv", "cell.csv", repeated(b"a ", head=b'"', tail=b'",b\n')),
    Flood("commas_csv", "commas.csv", repeated(b",")),
    Flood(
        "keys_json", "keys.json", numbered('"k{n}": {{"name": "a"}},\n', head="{", tail='"z":1}')
    ),
    Flood("escapes_json", "escapes.json", repeated(b"\\\\", head=b'{"a": "', tail=b'"}')),
    Flood("lines_json", "lines.jsonl", numbered('{{"a": {n}}}\n')),
    Flood("empty_lines", "empty_lines.py", repeated(b"\n")),
    Flood("returns", "returns.txt", repeated(b"\r")),
    Flood("mixed_ends", "mixed_ends.py", mixed_ends),
    Flood("blanks", "blanks.md", repeated(b" \t")),
    Flood("late_nul", "late_nul.py", late_nul),
    Flood(
        "escape_codes",
        "escape_codes.py",
        repeated(b"x = '\x1b]8;;http://a\x07\x1b[2J\x9b'\n".replace(b"\x9b", b"\xc2\x9b")),
    ),
    Flood("bidi", "bidi.py", repeated("x = '\u202e\u2066\ufeff\u200f'\n".encode())),
    Flood("combining", "combining.txt", repeated("\u0301".encode(), head=b"a")),
    Flood("wide", "wide.txt", repeated("\U0010ffff\ufdfa".encode())),
    Flood("words", "words.txt", numbered("w{n} ")),
    Flood("one_word", "one_word.txt", repeated(b"a")),
    Flood("camels", "camels.py", repeated(b"aB_1")),
)

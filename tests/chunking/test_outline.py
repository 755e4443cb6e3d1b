"""What an outline finds in a syntax tree, how deep it looks, and where a definition begins."""

from tree_sitter import Node

from ggrep.parse.chunking.outline import MAX_DEPTH, Definition, Outline, statement_depths
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.syntax import rules_for, tree
from tests.chunking.conftest import Chunked

SMALL = ChunkLimits(max_lines=6, max_bytes=400)


class Read:
    """A text and its outline."""

    def __init__(self, language: str, text: str, limits: ChunkLimits = SMALL) -> None:
        self.data = text.encode()
        table = LineTable(self.data)
        self.root: Node = tree(language, table)
        rules = rules_for(language, self.root, self.data)
        self.outline = Outline(self.root, table, rules, limits)

    @property
    def shown(self) -> list[str]:
        """Return type and name of all definitions, indented as they are nested."""
        return list(self._lines(self.outline.definitions, ""))

    def _lines(self, found: tuple[Definition, ...], indent: str) -> list[str]:
        lines = []
        for each in found:
            lines.append(f"{indent}{each.chunk_type} {each.construct.name}")
            lines += self._lines(each.members, indent + " ")
        return lines

    def text(self, place: int) -> str:
        first = self.outline.definitions[place]
        return self.data[first.start : first.end].decode()

    def doc(self, place: int) -> str:
        return self.data[slice(*self.outline.definitions[place].doc)].decode()

    def signature(self, place: int) -> str:
        return self.data[slice(*self.outline.definitions[place].signature)].decode()


def test_nesting_is_looked_into_up_to_a_bound() -> None:
    """The stack is not a file's to use up; what lies deeper is its parent's text."""
    text = "".join(f"{' ' * depth}class c{depth}:\n" for depth in range(MAX_DEPTH + 4))
    read = Read("python", text + " " * (MAX_DEPTH + 4) + "x = 1\n")
    (outermost,) = read.outline.definitions

    assert outermost.all_names() == tuple(f"c{depth}" for depth in range(MAX_DEPTH))
    assert f"class c{MAX_DEPTH + 3}:" in read.text(0)


def test_a_comment_behind_something_else_does_not_lead() -> None:
    read = Read("go", "package a\n\nvar a int // of a\nfunc b() {}\n")

    assert (read.text(1), read.doc(1)) == ("func b() {}", "")


def test_a_comment_leads_what_comes_next_alone() -> None:
    read = Read("javascript", "/** of a */ a(); function b() {}\n")

    assert (read.text(0), read.doc(0)) == ("function b() {}", "")


def test_an_attribute_leads_and_documents_nothing() -> None:
    """It would be shown as a sentence about the definition."""
    read = Read("rust", "#[test]\nfn a() {}\n\n/// Says.\n#[test]\n// More.\nfn b() {}\n")

    assert (read.text(0), read.doc(0)) == ("#[test]\nfn a() {}", "")
    assert read.doc(1) == "/// Says.\n#[test]\n// More."


def test_clauses_of_one_name_in_a_row_are_one_definition() -> None:
    """Together they are the function; a blank line, another name or its size ends it."""
    read = Read("erlang", "f(0) -> 1;\nf(N) -> N.\ng(N) -> N.\n\ng(0) -> 1.\n")
    long = "".join(f"h({number}) -> {number};\n" for number in range(60)) + "h(N) -> N.\n"
    cut = Read("erlang", long).outline.definitions

    assert [read.text(place) for place in range(len(read.outline.definitions))] == [
        "f(0) -> 1;\nf(N) -> N.",
        "g(N) -> N.",
        "g(0) -> 1.",
    ]
    assert len(cut) > 1
    assert all(each.end - each.start <= SMALL.max_bytes for each in cut)


BODY = "    x = 1\n" * 8


def test_a_large_function_is_looked_into() -> None:
    inside = (
        "    import sys\n    def g():\n        return 1\n    class C:\n        def m(self): pass\n"
    )
    read = Read("python", f"import os\n\ndef f():\n{BODY}{inside}")
    small = Read("python", f"def f():\n{inside}")

    assert read.shown == ["function f", " function g", " class C", "  method m"]
    assert read.outline.imports == ("os",)
    assert small.shown == ["function f"]


def test_what_a_local_object_holds_belongs_to_the_function() -> None:
    """The object itself is no definition there."""
    lines = "  x = 1;\n" * 8
    read = Read("javascript", f"function f() {{\n{lines}  const o = {{ a: () => 2 }};\n}}\n")

    assert read.shown == ["function f", " method a"]
    assert Read("javascript", "const o = { a: () => 2 };\n").shown == ["constant o", " method a"]


def test_the_head_of_what_has_no_body_is_bounded() -> None:
    """A line may be as long as a file."""
    read = Read("python", f"x = '{'y' * 300}'\n")

    assert read.signature(0) == f"x = '{'y' * 155}"


def test_a_file_defines_what_its_modules_hold_and_its_classes_alone() -> None:
    """A method is found by its class."""
    text = "namespace N {\n  export function f() {}\n  export class C { m() {} }\n}\n"
    (module,) = Read("typescript", text).outline.definitions

    assert module.outer_names() == ("N", "f", "C")
    assert module.all_names() == ("N", "f", "C", "m")


def test_statements_are_as_deep_as_the_large_nodes_around_them() -> None:
    """Windows are cut at the outermost; a clause goes with what is before it."""
    inner = "".join(f"    a{number} = 1\n" for number in range(8))
    text = f"if a:\n{inner}elif b:\n    c = 1\n    d = 1\ne = 1\n"
    table = LineTable(text.encode())
    depths = statement_depths(tree("python", table), table, SMALL)

    assert depths == {0: 0, 1: 1, **dict.fromkeys(range(2, 9), 2), 12: 0}


def test_no_piece_bears_more_names_than_the_bound(chunked: Chunked) -> None:
    """Generated tables define thousands; each name is a term of the index."""
    wide = ChunkLimits(max_lines=2000, max_bytes=100_000)
    values = ", ".join(f"v{number}: () => 1" for number in range(300))
    first = chunked("a.js", f"const o = {{ {values} }};\n", wide).chunks[-1]
    text = "class C:\n" + "".join(f"    f{number} = 1\n" for number in range(300))
    text += "\n    def m(self):\n" + "        x = 1\n" * 300
    owner = chunked("a.py", text, ChunkLimits(max_lines=400, max_bytes=5000)).chunks[1]

    assert [len(first.names), len(owner.names)] == [256, 256]
    assert (first.names[0], owner.names[:2]) == ("o", ("C", "f0"))


def test_fields_at_the_beginning_stay_with_the_head_of_a_large_class(chunked: Chunked) -> None:
    """They say what the class holds; alone they say little."""
    body = "        x = 1\n" * 12
    fields = "".join(f"    {name} = '{name * 12}'\n" for name in ("first", "second"))
    text = f"class C:\n{fields}\n    def m(self):\n{body}"
    head = chunked("a.py", text, ChunkLimits(max_lines=8, max_bytes=1000)).chunks[1]

    assert (head.chunk_type, head.name) == ("class", "C")
    assert head.names == ("C", "first", "second")
    assert "second = " in head.text

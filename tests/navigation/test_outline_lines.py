"""How definitions are written in an outline."""

import pytest

from ggrep.model.outline import bare_label, kind_word, label_of


@pytest.mark.parametrize(
    ("name", "head", "label"),
    [
        ("retry", "async def retry(self, n: int) -> bool", "retry(self, n: int) -> bool"),
        ("f", "def f( a: int, b: str, ) -> None", "f(a: int, b: str) -> None"),
        ("Server.Run", "func (s *Server) Run(ctx context.Context) error", None),
        ("LIMIT", "LIMIT: Final = 1 << 20", "LIMIT: Final = 1 << 20"),
        ("Hooks", "function Hooks ()", "Hooks()"),
        ("Box", "interface Box< T extends A", "Box<T extends A"),
        ("gone", "def other(a)", "gone"),
        ("x", "def axe(x)", "x"),
        ("adds two coins", "@Test fun `adds two coins`()", "`adds two coins`()"),
        ("my name", "let ``my name`` x = x", "``my name`` x = x"),
        ("<+>", "(<+>) :: a -> a", "(<+>) :: a -> a"),
        ("+", "let ( + ) a b", "( + ) a b"),
        ("|Even|Odd|", "let (|Even|Odd|) n", "(|Even|Odd|) n"),
        ("x", "our $x = 1", "$x = 1"),
        ("quoted atom", "'quoted atom'(X) ->", "'quoted atom'(X) ->"),
        ("string->list", "(define (string->list s) s)", "string->list s"),
        ("cb_t", "typedef int (*cb_t)(int)", "cb_t"),
        ("Till.two words", "def `two words`", "Till.`two words`"),
    ],
)
def test_a_head_is_shown_from_its_name_on(name: str, head: str, label: str | None) -> None:
    """What stands in front of it the kind says."""
    assert label_of(name, head) == (label or "Server.Run(ctx context.Context) error")


@pytest.mark.parametrize(
    ("label", "bare"),
    [
        ("retry(self, n: int = 3) -> bool", "retry(self, n)"),
        ("f(a: dict[str, int], *args: int, **kw: str)", "f(a, *args, **kw)"),
        ("run(&self, to: Box<dyn Fn(u8) -> u8>) -> u8", "run(&self, to)"),
        ("on(event: string, call?: () => void): void", "on(event, call?)"),
        ("Run(ctx context.Context) error", "Run(ctx context.Context) error"),
        ("main(int argc, char **argv)", "main(int argc, char **argv)"),
        ("LIMIT = 3", "LIMIT = 3"),
        ("cut(a: int, b", "cut(a: int, b"),
    ],
)
def test_types_go_where_names_stand_before_them(label: str, bare: str) -> None:
    """In C, Java and Go they do not: there half of a parameter would say nothing."""
    assert bare_label(label) == bare


@pytest.mark.parametrize(
    ("kind", "name", "head", "word"),
    [
        ("class", "Foo", "pub struct Foo", "struct"),
        ("class", "Foo", "public final class Foo extends Bar", "class"),
        ("interface", "Foo", "pub trait Foo", "trait"),
        ("function", "struct_of", "def struct_of()", "function"),
        ("class", "Foo", "", "class"),
    ],
)
def test_a_type_is_called_what_its_head_calls_it(
    kind: str, name: str, head: str, word: str
) -> None:
    """A struct of Rust is no class to who reads it."""
    assert kind_word(kind, name, head) == word

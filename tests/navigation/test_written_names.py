"""Heads of definitions, pasted where a name is asked for."""

import pytest

from ggrep.model.written_names import (
    bare_name,
    declared_name,
    is_same_name,
    last_part,
    name_readings,
    owners_of,
    word_pattern,
)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("func pickCandidates", "pickCandidates"),
        ("func (s *Server) run(ctx Context) error {", "run"),
        ("pub async fn open<T>(path: T)", "open"),
        ("class Arbiter:", "Arbiter"),
        ("const MAX = 3", "MAX"),
        ("namespace shop::cart", "shop::cart"),
        (" Queue.retry ", "Queue.retry"),
    ],
)
def test_a_head_declares_a_name(typed: str, name: str) -> None:
    """Keywords, receivers, parameters and bodies are left out."""
    assert declared_name(typed) == name


@pytest.mark.parametrize("typed", ["class", "function", "defer", "type::of", "two words", "def ("])
def test_what_declares_nothing_stays_as_it_is(typed: str) -> None:
    """A keyword may be a name; other words are for whoever judges the request."""
    assert declared_name(typed) == typed


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        ("`adds two coins`", "adds two coins"),
        ("``my name``", "my name"),
        ("r#type", "type"),
        ("(<+>)", "<+>"),
        ("( + )", "+"),
        ("(let*)", "let*"),
        ("(|Even|Odd|)", "|Even|Odd|"),
        ("'quoted atom'", "quoted atom"),
        ('"two words"', "two words"),
        ('@"two words"', "two words"),
        ('var"two words"', "two words"),
        ("|two words|", "two words"),
        ("[user list]", "user list"),
        ("operator ==", "operator=="),
        ("operator ()(int x)", "operator()"),
        ("operator  bool()", "operator bool"),
        ('operator "" _kb', 'operator""_kb'),
        ("@mixin round_box($r)", "round_box"),
        (".rounded-box(@r)", ".rounded-box"),
        ("\\my-mod", "my-mod"),
        ("e\u0301t", "\u00e9t"),
        ("[]=", "[]="),
        ("[]", "[]"),
        ("<=>", "<=>"),
        ("x'", "x'"),
        ("foo", "foo"),
    ],
)
def test_a_name_is_compared_without_its_quoting(written: str, bare: str) -> None:
    assert bare_name(written) == bare


@pytest.mark.parametrize(
    ("typed", "language", "owners", "last"),
    [
        ("string->list", "scheme", (), "string->list"),
        ("till->pay", "cpp", ("till",), "pay"),
        ("my.app/->point", "clojure", (), "my.app/->point"),
        ("print.foo", "r", (), "print.foo"),
        ("print.foo", "python", ("print",), "foo"),
        ("Till.`adds two coins`", "kotlin", ("Till",), "adds two coins"),
        ("Till.adds two coins", "kotlin", ("Till",), "adds two coins"),
        ("V.<=>", "ruby", ("V",), "<=>"),
        ("V.[]=", "ruby", ("V",), "[]="),
        ("O.::", "scala", ("O",), "::"),
        ("Coin.operator()", "cpp", ("Coin",), "operator()"),
        ("a.b:close", "lua", ("a", "b"), "close"),
        ("build:all", "json", (), "build:all"),
        ("addCoin:toSlot:", "objc", (), "addCoin"),
        ("Enum.map/2", "elixir", ("Enum",), "map"),
        ("::ns::go", "cpp", ("ns",), "go"),
        ("r#Box2.in", "rust", ("Box2",), "in"),
        (".big-card", "css", (), ".big-card"),
        (".big-card", "html", (), "big-card"),
    ],
)
def test_a_language_says_what_separates_a_name_from_its_container(
    typed: str, language: str, owners: tuple[str, ...], last: str
) -> None:
    assert name_readings(typed, language)[0] == (owners, last)


def test_a_selector_is_no_name_in_other_languages() -> None:
    """`.open` would be any member of that name."""
    assert name_readings(".open", "python") == ()


@pytest.mark.parametrize(
    ("defined", "spelled", "same"),
    [
        ("r#type", "type", True),
        ("$name", "name", True),
        ("name=", "name", True),
        (".big-card", "big-card", True),
        ("My.Mod", "Mod", True),
        ("operator==", "operator ==", True),
        ("<=", "<", False),
        ("operator<=", "operator<", False),
        ("name", "names", False),
    ],
)
def test_sigils_and_qualifiers_are_left_aside(defined: str, spelled: str, same: bool) -> None:
    assert is_same_name(defined, spelled) is same


@pytest.mark.parametrize(
    ("typed", "spelled", "owners"),
    [
        ("print.foo", "print.foo", ()),
        ("print.foo", "foo", ("print",)),
        ("my.ns/foo->bar", "foo->bar", ("my", "ns")),
        ("Till.pay", "pay", ("Till",)),
    ],
)
def test_what_encloses_a_name_depends_on_how_it_was_read(
    typed: str, spelled: str, owners: tuple[str, ...]
) -> None:
    assert owners_of(typed, spelled) == owners


@pytest.mark.parametrize(
    ("name", "language", "text", "count"),
    [
        ("list", "scheme", "(string->list list list?)", 1),
        ("join", "clojure", "(str/join join-all join)", 2),
        ("foo", "r", "print.foo(foo)", 1),
        ("<=>", "ruby", "a <=> b; a <=>= b; inject(:<=>)", 2),
        ("+", "ocaml", "a + b +. c ++ d", 1),
        ("x'", "haskell", "x' x x''", 1),
        ("my-func", "bash", "my-func my-func-2", 1),
        ("été", "python", "e\u0301te\u0301 \u00e9t\u00e9", 2),
        ("operator bool", "cpp", "operator  bool() operator boolean", 1),
        ("empty?", "ruby", "x.empty?.y empty", 1),
    ],
)
def test_no_letter_of_a_longer_name_touches_a_name(
    name: str, language: str, text: str, count: int
) -> None:
    result = word_pattern(bare_name(name), language, any_case=False).findall(text)

    assert len(result) == count


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        *(
            (name, "pay")
            for name in ("pay", "Checkout.pay", "Checkout::pay", "Checkout#pay", "a/pay")
        ),
        ("a->b", "b"),
        ("fn/2", "fn"),
    ],
)
def test_the_last_part_of_a_name_is_what_lines_hold(typed: str, last: str) -> None:
    """Each language writes containers its own way."""
    assert last_part(typed) == last

"""What the syntax around a name says beside what it is."""

import pytest

from ggrep.parse.occurrences.occurrences import mentions
from ggrep.parse.occurrences.words import Occurrence


def found(path: str, text: str, name: str) -> tuple[Occurrence, ...]:
    return mentions(path, text.encode(), name)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "from b import (\n    one,\n    pay,\n)\n"),
        ("a.py", "def f():\n    import pay\n"),
        ("a.ts", "import {\n  pay,\n} from './b';\n"),
        ("a.ts", "export { pay } from './b';\n"),
        ("a.rs", "use shop::{\n    pay,\n};\n"),
        ("A.java", "import shop.pay;\nclass A {}\n"),
    ],
)
def test_an_import_is_told_wherever_its_lines_break(path: str, text: str) -> None:
    """A line that holds the name alone looks like a use."""
    assert [each.role for each in found(path, text, "pay")] == ["import"]


def test_the_type_whose_methods_follow_is_no_use_of_it() -> None:
    """A type of ten methods has ten such lines in Go."""
    go = found("a.go", "package a\n\nfunc (s *Till) Pay() { _ = Till{} }\n", "Till")
    rust = found("a.rs", "impl Pay for Till {\n    fn pay(&self) { Till::new(); }\n}\n", "Till")

    assert [each.role for each in go] == ["receiver", ""]
    assert [each.role for each in rust] == ["receiver", ""]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def test_it():\n    pay()\n"),
        ("a.rs", "#[cfg(test)]\nmod tests {\n    fn helper() { pay(); }\n}\n"),
    ],
)
def test_a_test_in_a_source_file_is_one(path: str, text: str) -> None:
    assert [each.test for each in found(path, text, "pay")] == [True]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'if __name__ == "__main__":\n    pay()\n'),
        ("a.rs", "#[cfg(unix)]\nmod tests_of_nothing {\n    fn helper() { pay(); }\n}\n"),
    ],
)
def test_what_only_sounds_like_a_test_is_none(path: str, text: str) -> None:
    """A block for scripts runs the program; `tests/languages/test_inner_tests.py` has more."""
    assert [each.test for each in found(path, text, "pay")] == [False]


@pytest.mark.parametrize(
    ("path", "text", "bases"),
    [
        ("a.py", "class Card(Payment, metaclass=Meta):\n    def pay(self): ...\n", "Payment"),
        ("A.java", "class Card extends Base implements Payment {\n  void pay() {}\n}\n", "Payment"),
        ("a.ts", "class Card implements Payment {\n  pay() {}\n}\n", "Payment"),
        ("a.rs", "impl Payment for Card {\n    fn pay(&self) {}\n}\n", "Payment"),
        ("a.kt", "class Card(val b: Int) : Payment {\n  override fun pay() {}\n}\n", "Payment"),
    ],
)
def test_a_member_tells_what_its_type_builds_on(path: str, text: str, bases: str) -> None:
    """So implementations of an interface's method can be listed."""
    (defined,) = [each for each in found(path, text, "pay") if each.defined]

    assert bases in defined.bases
    assert "Card" not in defined.bases

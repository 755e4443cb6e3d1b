"""Tests inside of source files take the lines that a reader would call tests, and no others."""

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from ggrep.parse.languages import inner_tests as reader
from ggrep.parse.languages.inner_tests import inner_tests

RUST = """fn pay() {}

/// Says.
#[cfg(test)]
mod tests {
    #[test]
    fn pays() {
        let json = r#"
{
}
"#;
    }
}

fn refund() {}
"""
PYTHON = '''def pay(): ...


@mark
def test_pay(
    amount,
):
    """
Says.
    """
    pay()


# behind
LIMIT = 3
'''
SCRIPT = """export const pay = 1;

if (import.meta.vitest) {
  const { it } = import.meta.vitest;
  it("pays", () => {
    pay({ a: 1 });
  });
}
export const refund = 2;
"""


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("rust", RUST, [(3, 13)]),
        ("rust", "#[cfg(test)]\nuse a::{b, c};\nfn f() {}\n", [(1, 2)]),
        ("rust", "#[cfg(test)]\nmod tests;\nfn f() {}\n", [(1, 2)]),
        ("rust", "#[cfg(all(test, unix))]\nmod tests {\n}\nfn f() {}\n", [(1, 3)]),
        ("rust", "#[tokio::test]\nasync fn f<'a>()\nwhere A: B\n{\n    g('{');\n}\n", [(1, 6)]),
        ("rust", "#![cfg(test)]\nfn f() {}\n", [(1, 3)]),
        ("rust", "#[cfg(test)] mod tests;\nfn f() {}\n", [(1, 1)]),
        ("rust", "#[test] fn a() {\n}\nfn f() {}\n", [(1, 2)]),
        ("rust", "#[test_case(\n    1,\n)]\nfn a() {\n}\nfn f() {}\n", [(1, 5)]),
        ("rust", "enum A {\n    #[cfg(test)]\n    B,\n    C { d: u8 },\n}\n", [(2, 3)]),
        ("rust", "enum A {\n    #[cfg(test)]\n    B\n}\nfn f() {}\n", [(2, 3)]),
        ("rust", "match a {\n    #[cfg(test)]\n    B => g(1, 2),\n    C => h(),\n}\n", [(2, 3)]),
        (
            "rust",
            "#[cfg(test)]\nfn a(\n    b: u8,\n)\nwhere\n    C: D,\n{\n}\nfn f() {}\n",
            [(1, 8)],
        ),
        ("rust", "#[cfg(not(test))]\nfn f() {}\n", []),
        ("rust", "#[cfg_attr(test, derive(Debug))]\nstruct A;\n", []),
        ("rust", "fn test() {}\nmod contest {}\n", []),
        ("python", PYTHON, [(4, 11)]),
        ("python", "class A(unittest.TestCase):\n    x = 1\n\n    def f(self): ...\n", [(1, 4)]),
        (
            "python",
            "class TestPay:\n    def setup(self): ...\n    def test_a(self): ...\n",
            [(1, 3)],
        ),
        ("python", "class TestClient:\n    def get(self): ...\n", []),
        ("python", "class Database:\n    def test_connection(self): ...\n", []),
        (
            "python",
            'if __name__ == "__main__":\n    import doctest\n    doctest.testmod()\n',
            [(1, 3)],
        ),
        ("python", 'if __name__ == "__main__":\n    unittest.main()\n', [(1, 2)]),
        ("python", 'if __name__ == "__main__":\n    main()\n', []),
        ("python", "def _check():\n    import doctest\n    doctest.testmod()\n", [(1, 3)]),
        ("python", "def load_tests(loader, tests, ignore):\n    return tests\n", [(1, 2)]),
        ("go", "// TestA says.\nfunc TestA(t *testing.T) {\n\tf()\n}\n\nfunc f() {}\n", [(1, 4)]),
        ("go", "func must(tb testing.TB, err error) {\n}\n", [(1, 2)]),
        ("go", "func TestA() bool {\n\treturn true\n}\n", []),
        ("typescript", SCRIPT, [(3, 8)]),
        ("javascript", 'describe("a", () => {\n  f();\n});\nf();\n', [(1, 3)]),
        ("javascript", "it('a (b', () => {\n  f('}')\n})\nf()\n", [(1, 3)]),
        ("javascript", "it('a', () =>\n  f({ b: 1 })\n)\nf()\n", [(1, 3)]),
        ("javascript", "test.each([1, 2])('a %i', (a) => {\n});\n", [(1, 2)]),
        ("javascript", "const a = /b/.test(c);\nit(d);\ndescribe(e);\n", []),
        ("ruby", "describe('a') do\nend\n", []),
    ],
)
def test_the_lines_of_tests_are_known(
    language: str, text: str, lines: list[tuple[int, int]]
) -> None:
    assert list(inner_tests(text, language)) == lines


@pytest.mark.parametrize(
    ("language", "pattern", "unit"),
    [
        ("javascript", "_SCRIPT_BRACKETS", "it('a', () => {\n}}((\n"),
        ("rust", "_BRACKETS", "#[cfg(test)]\nA\n"),
    ],
)
def test_tests_that_nothing_closes_are_read_once(
    monkeypatch: pytest.MonkeyPatch, language: str, pattern: str, unit: str
) -> None:
    """A test without an end costs a bounded number of lines, not the rest of the file."""
    brackets = getattr(reader, pattern)
    lines: list[str] = []

    def counted(line: str) -> Iterator[re.Match[str]]:
        lines.append(line)
        return iter(brackets.finditer(line))

    monkeypatch.setattr(reader, pattern, SimpleNamespace(finditer=counted))

    assert inner_tests(unit * 500, language)
    assert len(lines) <= 500 * 110

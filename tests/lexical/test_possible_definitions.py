"""Words that a text may define hold all that syntax defines; keys find the files of a word."""

import numpy as np
import pytest

from ggrep.index.lexical.possible_definitions import (
    definition_keys,
    files_of_word,
    folded_words,
    possible_definitions,
)

DEFINING = [
    ("python", "def run():\n    def inner(): ...\n", "inner"),
    ("python", "    class Größe: ...\n", "Größe"),
    ("c", "void f(void) {\n#define STEP 2\n}\n", "STEP"),
    ("c", "int f(void) { struct pair { int left; } p; }\n", "pair"),
    ("c", "int f(void) { struct pair { int left; } p; }\n", "left"),
    ("c", "int f(void) { enum { RED, GREEN = 2, BLUE }; }\n", "BLUE"),
    ("cpp", "void f() { using Row = int; class Row2 final : A { }; }\n", "Row2"),
    ("c", "typedef unsigned long word_t[2];\n", "word_t"),
    ("c", "for_each_cpu(cpu) {\n}\n", "cpu"),
    ("javascript", "const attempt = async () => 1;\n", "attempt"),
    ("typescript", "box.open = 3;\n", "open"),
    ("javascript", "return {\n  'size': 2,\n};\n", "size"),
    ("rust", "fn outer() { pub(crate) fn inner<T>(t: T) { } }\n", "inner"),
    ("go", "func f() { type Local struct { A int } }\n", "Local"),
    ("java", "Object run() { class Inner { void go(int a) throws E { } } }\n", "go"),
    ("ruby", "attr_accessor :left, :right\n", "right"),
    ("lua", "local function step() end\n", "step"),
    ("lua", "queue.step = function(a) end\n", "step"),
    ("lisp", "(defun outer () (defmacro (inner x)))\n", "inner"),
    ("lisp", "(deftest bounds-of-word.last () t)\n", "last"),
    ("scheme", "(define (string->list s) s)\n", "list"),
]


@pytest.mark.parametrize(("language", "text", "name"), DEFINING)
def test_a_name_that_a_text_defines_is_among_its_words(language: str, text: str, name: str) -> None:
    """Chunks name no such definition, so that nothing else finds its file."""
    assert set(folded_words(name)) <= possible_definitions(text, language)


USING = [
    ("c", "size_t n = strlen(s);\nconst size_t m;\nreturn kmalloc(size, flags);\n", "size_t"),
    ("c", "if (ready)\n\treturn kmalloc(size, flags);\n", "kmalloc"),
    ("python", "value = retry(job)\n", "retry"),
    ("javascript", "send(message);\n", "send"),
]


@pytest.mark.parametrize(("language", "text", "name"), USING)
def test_a_name_that_is_used_is_not(language: str, text: str, name: str) -> None:
    """A name used in thousands of files is defined in few, and only those are parsed."""
    assert name not in possible_definitions(text, language)


def test_keys_find_the_files_of_a_word() -> None:
    """Files come back in their order, of that word alone."""
    keys = np.array(
        sorted([*definition_keys(["run", "größe"], 3), *definition_keys(["run"], 1)]), np.uint64
    )

    assert files_of_word(keys, "run").tolist() == [1, 3]
    assert files_of_word(keys, "größe").tolist() == [3]
    assert files_of_word(keys, "walk").tolist() == []

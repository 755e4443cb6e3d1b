"""What says the same twice is shown once; what differs is never taken for a copy."""

import random
from collections.abc import Sequence

from msgspec.structs import replace

from ggrep.model.slate import Section
from ggrep.model.slate_material import PackMaterial
from ggrep.search.slate.duplicates import MOST_PLACES, merged
from tests.fakes.slate_files import material, piece

LONG = "\n".join(f"    value_{n} = read(source_{n}) or default_{n}" for n in range(40))


def paths(found: Sequence[PackMaterial]) -> list[str]:
    return [each.pick.candidate.path for each in found]


def also(found: PackMaterial) -> tuple[tuple[str, ...], ...]:
    """Return the places of copies of each piece."""
    return tuple(piece.also for piece in found.evidence)


def only(found: Sequence[PackMaterial]) -> PackMaterial:
    assert len(found) == 1
    return found[0]


def test_a_copy_is_told_where_the_better_one_stands() -> None:
    """One of them is read; whoever changes it must know of the other."""
    better = material("b.py", piece(LONG, 10, 0.9))
    copy = material("a.py", piece(LONG, 33, 0.5))
    result = only(merged([copy, better]))

    assert result.pick.candidate.path == "b.py"
    assert also(result) == (("a.py:33",),)


def test_a_near_copy_is_one() -> None:
    """A vendored file of another version differs in a line."""
    changed = LONG.replace("default_20", "fallback")

    assert len(merged([material("a.py", piece(LONG)), material("b.py", piece(changed))])) == 1


def test_texts_that_share_their_words_alone_are_no_copies() -> None:
    """Two tables of the same names in another order say different things."""
    words = LONG.split()
    random.Random(1).shuffle(words)
    other = " ".join(words)
    result = merged([material("a.py", piece(LONG)), material("b.py", piece(other))])

    assert len(result) == 2
    assert [also(each) for each in result] == [((),), ((),)]


def test_texts_that_share_most_of_their_lines_are_no_copies() -> None:
    """What differs in a fifth of it is another thing, and to be read on its own."""
    changed = LONG.replace("or default_1", "or other_1")
    assert changed.count("other_1") == 11

    assert len(merged([material("a.py", piece(LONG)), material("b.py", piece(changed))])) == 2


def test_short_texts_are_copies_only_when_equal() -> None:
    """`return x` and `return y` have most in common, and differ in all that matters."""
    short = material("a.py", piece("def get(x):\n    return x"))
    other = material("b.py", piece("def get(y):\n    return y"))
    spaced = material("c.py", piece("  def get(x):\n\n      return x"))

    assert paths(merged([short, other, spaced])) == ["a.py", "b.py"]


def test_a_file_keeps_what_stands_nowhere_else() -> None:
    """Only its copied part is left out."""
    first = material("a.py", piece(LONG, 1, 0.9))
    second = material("b.py", piece(LONG, 1, 0.5), piece("def own(): pass", 90, 0.4, name="own"))
    result = merged([first, second])

    assert paths(result) == ["a.py", "b.py"]
    assert [each.name for each in result[1].evidence] == ["own"]
    assert also(result[0]) == (("b.py:1",),)
    assert also(result[1]) == ((),)


def test_a_copy_in_another_section_leaves_its_file_in_place() -> None:
    """The document that quotes the code is still the document to read."""
    code = material("a.py", piece(LONG, 1, 0.9))
    document = material("a.md", piece(LONG, 4, 0.5), section=Section.DOCS)
    result = merged([code, document])

    assert paths(result) == ["a.py", "a.md"]
    assert also(result[0]) == (("a.md:4",),)


def test_a_file_without_evidence_is_no_copy() -> None:
    """It was asked for, or matches by its name."""
    empty = [material(path) for path in ("a.py", "b.py")]

    assert paths(merged(empty)) == ["a.py", "b.py"]
    blank = [material(path, piece("  \n ")) for path in ("a.py", "b.py")]
    assert paths(merged(blank)) == ["a.py", "b.py"]


def test_copies_within_a_file_do_not_empty_it() -> None:
    """A file that repeats itself is still there."""
    result = only(merged([material("a.py", piece(LONG, 1, 0.9), piece(LONG, 99, 0.9, name="b"))]))

    assert [each.start_line for each in result.evidence] == [1]
    assert also(result) == (("a.py:99",),)


def test_places_of_copies_are_few_and_in_order() -> None:
    """A licence stands in a thousand files."""
    files = [material(f"m{n}.py", piece(LONG, n + 1, 0.5)) for n in range(9)]
    result = only(merged([*files[::-1], material("z.py", piece(LONG, 1, 0.9))]))

    assert also(result) == (tuple(f"m{n}.py:{n + 1}" for n in range(MOST_PLACES)),)


def test_which_copy_stays_does_not_hang_on_the_order() -> None:
    """Nor on the segments that the files lie in: score decides, then path."""
    files = [
        material(f"{name}.py", piece(text, 1, score), piece(f"def {name}(): pass", 80, score / 2))
        for name, text, score in (("a", LONG, 0.5), ("b", LONG, 0.5), ("c", LONG[:-9], 0.7))
    ]

    def by_path(some: Sequence[PackMaterial]) -> list[PackMaterial]:
        return sorted(merged(some), key=lambda each: each.pick.candidate.path)

    assert by_path(files) == by_path(files[::-1])
    assert [len(each.evidence) for each in by_path(files)] == [1, 1, 2]


def test_the_order_of_the_files_stays() -> None:
    """Selection decided it."""
    files = [material(f"{n}.py", piece(f"def f{n}(): pass", score=n / 9)) for n in (3, 1, 2)]

    assert paths(merged(files)) == ["3.py", "1.py", "2.py"]


def test_no_copy_is_overlooked() -> None:
    """Not all texts are compared with each other; those that are left aside are no copies."""
    chance = random.Random(7)
    texts = [[f"w{chance.randrange(40)}" for _ in range(chance.choice((3, 12, 60, 90)))]]
    for _ in range(150):
        text = list(chance.choice(texts))
        for _ in range(chance.choice((0, 0, 1, 1, 2, 8))):
            text[chance.randrange(len(text))] = f"w{chance.randrange(40)}"
        texts.append(text)
    files = [material(f"{n:03d}.py", piece("\n".join(text))) for n, text in enumerate(texts)]
    kept: dict[str, set[str]] = {}
    for number, text in enumerate(texts):
        lines = set(text)
        if all(len(lines & other) < 0.9 * len(lines | other) for other in kept.values()):
            kept[f"{number:03d}.py"] = lines

    assert 20 < len(kept) < 140
    assert paths(merged(files)) == list(kept)


def test_what_was_asked_for_by_its_name_is_no_copy() -> None:
    """Whoever opens two places wants to see both."""
    files = [material(path, piece(LONG)) for path in ("a.py", "b.py")]
    asked = [replace(each, pick=replace(each.pick, reason="expand_target")) for each in files]

    assert paths(merged(asked)) == ["a.py", "b.py"]
    assert [len(each.evidence) for each in merged(asked)] == [1, 1]

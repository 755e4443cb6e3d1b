"""The budgets of a slate hold to the byte, whatever it is made of; and every cut is said."""

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.confidence import Confidence
from ggrep.model.slate import ROLES, SECTIONS, Budgets, Pack, Reason, Section, Slate
from ggrep.model.slate_material import PackMaterial, TextPiece
from ggrep.search.slate.document import graph_json, overview_json, pack_json, slate_json
from ggrep.search.slate.levels import MAX_EVIDENCE, MAX_SLATE_FILES, MIN_SLATE_BYTES, effective
from ggrep.search.slate.overview import SlatePlan
from ggrep.search.slate.pack_draft import Drawn, drawn
from ggrep.search.slate.packing import reserved
from ggrep.search.slate.slate_lines import file_lines, slate_lines
from tests.fakes.slate_files import PIECE, candidate, material, piece

REASONS: tuple[Reason, ...] = ("semantic_match", "config_rule", "policy_rule", "docs_quota")
BITS = (
    *(
        '"',
        "\\",
        "\t",
        "\u0001",
        "\u007f",
        "\u2028",
        "é",
        "世界",
        "🧨",
        "👩‍👩‍👧‍👦",
        "</script>",
        "",
        " ",
    ),
    *("def retry(queue):", "\\u0000", "x" * 97, '"""' * 9, "\u202e", "{}[],:", "\n", "\n\n", "\r"),
)
USUAL = Budgets()
AMPLE = Budgets(4 * 1024 * 1024, 1024 * 1024, MAX_SLATE_FILES, MAX_EVIDENCE)
NEARLY = (("a", 1.0), ("b", 0.9))


class Question(Struct, frozen=True):
    """A request's shape, and the files that were chosen for it."""

    files: tuple[PackMaterial, ...]
    plan: SlatePlan
    facts: bool

    def drawn(self) -> Drawn:
        return drawn(self.files, self.plan, facts=self.facts)

    def ample(self, level: int) -> Slate:
        """Return the slate of a level without a graph, with room for all files."""
        result = drawn(self.files, replace(self.plan, level=level, budgets=AMPLE, graph=False))
        assert {cut.code for cut in result.limits} <= {"max_evidence_per_file"}
        return result.slate


class Chance:
    """Makes files that nobody would write; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._level = self._random.randrange(4)

    def question(self) -> Question:
        """Return a question whose answer may or may not fit."""
        pick = self._random
        asked = Budgets(
            total_bytes=pick.choice((0, MIN_SLATE_BYTES, pick.randrange(2048, 90_000))),
            file_bytes=pick.choice((0, 1, pick.randrange(1, 900), pick.randrange(1, 40_000))),
            files=pick.choice((0, 1, pick.randrange(1, MAX_SLATE_FILES))),
            evidence_per_file=pick.choice((0, 1, pick.randrange(1, MAX_EVIDENCE))),
            of_text=pick.random() < 0.4,
        )
        budgets, _ = effective(asked, self._level)
        count = min(pick.choice((0, 1, 5, 20, 100)), budgets.files)
        most = min(budgets.evidence_per_file, pick.choice((0, 1, 3, 12)))
        terms = tuple(self.text(3) for _ in range(pick.choice((0, 2, 40))))
        return Question(
            tuple(self.file(number, most) for number in range(count)),
            SlatePlan(
                self._level,
                budgets,
                pick.choice(tuple(Confidence)),
                terms,
                graph=pick.random() < 0.7,
                left=pick.randrange(3),
                has_session=pick.random() < 0.5,
            ),
            pick.random() < 0.2,
        )

    def file(self, number: int, most: int) -> PackMaterial:
        """Return a file with at most so many pieces of evidence, and neighbours, and an anchor."""
        pick = self._random
        evidence = tuple(self.piece("semantic_match") for _ in range(pick.randint(0, most)))
        around = range(pick.randrange(3) if self._level > 1 else 0)
        path = f"{self.text(4)}/{number}.py".replace("\n", "")
        section = pick.choice(SECTIONS)
        result = material(
            path,
            *evidence,
            section=section,
            anchor=self.piece("anchor_for_context") if pick.random() < 0.6 else None,
            neighbours=tuple(self.piece("neighbour_context") for _ in around),
            more_evidence=pick.choice((0, 9, 999)),
        )
        roles = frozenset(pick.sample(ROLES, pick.randrange(4)))
        chosen = replace(result.pick.candidate, roles=roles)
        reason = pick.choice(REASONS)
        result = replace(result, pick=replace(result.pick, candidate=chosen, rank=number // 5))
        result = replace(result, pick=replace(result.pick, reason=reason))
        twins = (replace(each, also=self.texts(pick.randrange(3))) for each in evidence)
        return replace(result, evidence=tuple(twins))

    def piece(self, reason: Reason) -> TextPiece:
        """Return a chunk; what is shown of it may be longer than it, as relations may."""
        pick = self._random
        start = pick.choice((1, 9, 99, 9_999, 999_999, 1_234_567))
        snippet = self.text(pick.choice((0, 1, 4, 40))) if self._level else ""
        if pick.random() < 0.02:
            snippet *= 200
        return replace(
            PIECE,
            chunk_id=f"{pick.getrandbits(256):064x}",
            start_line=start,
            end_line=start + pick.choice((0, 7, 120)),
            score=pick.choice((0.0, 0.5, pick.random())),
            chunk_type=pick.choice(("function", "block", "constant")),
            name=self.text(1),
            names=self.texts(2),
            breadcrumb=self.texts(pick.randrange(3)),
            signature=self.text(2),
            text=snippet,
            snippet=snippet,
            snippet_start_line=start,
            hidden_lines=pick.choice((0, 9, 98, 99_999)),
            reason=reason,
        )

    def texts(self, count: int) -> tuple[str, ...]:
        return tuple(self.text(2) for _ in range(count))

    def text(self, bits: int) -> str:
        return "".join(self._random.choices(BITS, k=bits))


def packs_of(slate: Slate) -> list[Pack]:
    return [pack for _, packs in slate.sections for pack in packs]


def size(value: stable_json.Json) -> int:
    return len(stable_json.dumps(value))


def text_size(lines: Iterable[str]) -> int:
    return len("".join(f"{line}\n" for line in lines).encode())


def evidence_of(pack: Pack) -> int:
    return sum(item.reason != "neighbour_context" for item in pack.evidence)


def check_budgets(question: Question, found: Drawn) -> None:
    """Count every budget of the answer again."""
    slate, budgets = found.slate, question.plan.budgets
    packs = packs_of(slate)
    document = slate_json(slate)
    printed = text_size(slate_lines(document)) if budgets.of_text else size(document)

    assert printed == slate.total_bytes <= budgets.total_bytes
    assert slate.estimated_tokens == -(-printed // 4)
    assert len(packs) <= budgets.files
    room = reserved(budgets, slate.level)
    assert size(overview_json(slate.overview)) <= room["overview"]
    assert slate.graph is None or size(graph_json(slate.graph)) <= budgets.total_bytes
    for pack in packs:
        shown = pack_json(pack, slate.level)
        lines = file_lines(shown, is_source=pack.section is not Section.DIAGRAMS)
        taken = text_size(lines) if budgets.of_text else size(shown)
        assert taken <= budgets.file_bytes
        assert evidence_of(pack) <= budgets.evidence_per_file


def check_order(_: Question, found: Drawn) -> None:
    """Look at the order of everything that has one."""
    slate = found.slate
    kinds = [section for section, _ in slate.sections]

    assert kinds == [section for section in SECTIONS if section in kinds]
    for section, packs in slate.sections:
        assert packs
        assert all(pack.section is section for pack in packs)
        assert list(packs) == sorted(packs, key=lambda pack: (-pack.score, pack.path))
        for pack in packs:
            order = [(item.start_line, item.chunk_id) for item in pack.evidence]
            assert order == sorted(order)


def check_cuts(question: Question, found: Drawn) -> None:
    """Compare what is shown with what ample budgets show: less is said, and nothing else is."""
    level = found.slate.level
    shown = {pack.path: pack for pack in packs_of(found.slate)}
    ample = question.ample(level)
    output = {cut.code for cut in found.limits}
    small = {cut.path_key for cut in found.limits if cut.code == "max_slate_file_bytes"}
    cut = set()
    for pack in packs_of(ample):
        here = shown.get(pack.path)
        if here is None:
            assert "max_slate_files_by_bytes" in output
        elif pack_json(here, level) != pack_json(pack, level):
            cut.add(pack.path)
            assert pack.path in small or "max_slate_bytes" in output, (pack.path, found.limits)

    assert len(packs_of(ample)) == len(question.files)
    assert small & set(shown) <= cut
    assert cut or "max_slate_bytes" not in output or len(shown) < len(question.files)
    assert len(shown) < len(question.files) or "max_slate_files_by_bytes" not in output


def check_levels(question: Question) -> None:
    """Draw the same files on each level with room for all of them."""
    paths = [[pack.path for pack in packs_of(question.ample(level))] for level in range(4)]

    assert paths[0] == paths[1] == paths[2] == paths[3]
    assert len(paths[0]) == len(question.files)


CHECKS: Sequence[Callable[[Question, Drawn], None]] = (check_budgets, check_order, check_cuts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [
        range(150),
        *(pytest.param(range(n, n + 450), marks=pytest.mark.deep) for n in (150, 600, 1050)),
    ],
    ids=len,
)
def test_no_slate_is_larger_than_its_budgets(seeds: range) -> None:
    """A caller that gave a number of bytes has a buffer of that size, whatever files hold."""
    for seed in seeds:
        question = Chance(seed).question()
        result = question.drawn()
        for check in CHECKS:
            check(question, result)


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(3, 20))
def test_no_other_slate_is_either(part: int) -> None:
    """The same over ten thousand requests in all."""
    test_no_slate_is_larger_than_its_budgets(range(500 * part, 500 * (part + 1)))


@pytest.mark.slow
def test_levels_differ_in_bytes_alone() -> None:
    """Whoever asks for more of the same files gets the same files."""
    for seed in range(40):
        check_levels(Chance(seed).question())


def asked_of(*files: PackMaterial, level: int = 1, budgets: Budgets = USUAL) -> Drawn:
    """Return the slate of some files, whose evidence is nowhere else."""
    in_force, _ = effective(budgets, level)
    return drawn(files, SlatePlan(level, in_force, Confidence.STRONG, ("retry",), graph=False))


def test_the_best_piece_is_cut_at_its_end_and_whole_lines_go() -> None:
    """Half a line is worse than none; what had no room is counted."""
    long = "\n".join(f"line {number} of many" for number in range(100))
    result = asked_of(
        material("a.py", piece(long), piece("short", 200, 0.5)), budgets=Budgets(file_bytes=1_000)
    )
    (pack,) = packs_of(result.slate)
    first, *others = pack.evidence

    assert len(others) + pack.more_evidence == 1
    assert long.startswith(f"{first.snippet}\n")
    assert first.hidden_lines == 100 - first.snippet.count("\n") - 1
    assert [cut.path_key for cut in result.limits] == ["a.py"]


def test_a_piece_whose_lines_have_no_room_is_named() -> None:
    """Where it stands is less than its first lines, and more than nothing."""
    wide = "\n".join("x" * 400 for _ in range(9))
    result = asked_of(
        material("a.py", piece("short", 1), piece(wide, 200, 0.5)), budgets=Budgets(file_bytes=600)
    )
    (pack,) = packs_of(result.slate)

    assert [item.snippet for item in pack.evidence] == ["short", ""]


@pytest.mark.slow
def test_a_budget_is_used_to_its_last_bytes_and_no_further() -> None:
    """Where every line is a byte, nothing is left over to hide a wrong count."""
    line = 1_234_567
    files = [
        material(f"{n:02d}.py", piece("\n".join("x" * 999), line, n / 99), section=SECTIONS[n % 5])
        for n in range(40)
    ]
    for total in range(40_000, 40_005):
        slate = asked_of(*files, budgets=Budgets(total, files=100)).slate
        assert len(packs_of(slate)) == 40
        assert total - 1_200 < size(slate_json(slate)) == slate.total_bytes <= total
    alone = material("a.mmd", piece("\n".join("x" * 999), line), section=Section.DIAGRAMS)
    for total in range(40_000, 40_005):
        slate = asked_of(*files, budgets=Budgets(total, files=100, of_text=True)).slate
        assert total - 1_600 < text_size(slate_lines(slate_json(slate))) <= total
    for total in range(3_000, 3_005):
        assert asked_of(alone, budgets=Budgets(total)).slate.total_bytes <= total
    for allowed in range(1_000, 1_005):
        slate = asked_of(*files[:1], budgets=Budgets(file_bytes=allowed)).slate
        assert allowed - 60 < size(pack_json(packs_of(slate)[0], 1)) <= allowed


def test_the_best_evidence_stays_when_a_file_has_little_room() -> None:
    """And what went is counted among what there is more of."""
    pieces = [piece(f"def f{n}():", n * 10 + 1, score=1 - n / 10, signature="x") for n in range(6)]
    pieces.reverse()
    result = asked_of(
        material("a.py", *sorted(pieces, key=lambda each: each.start_line), more_evidence=2),
        budgets=Budgets(file_bytes=150, evidence_per_file=6),
    )
    (pack,) = packs_of(result.slate)

    assert 0 < len(pack.evidence) < 6
    assert pack.evidence[0].score == pack.score == 1.0
    assert len(pack.evidence) + pack.more_evidence == 8


def test_priority_decides_whose_lines_are_shown_and_no_order_of_files() -> None:
    """Files stand by their best evidence, as everywhere; lines go where an answer is likelier."""
    text = "\n".join(f"line {number} of many" for number in range(60))
    first, second = (material(f"{name}.py", piece(text, score=score)) for name, score in NEARLY)
    likelier = material("b.py", piece(text, score=0.9, priority=2.0))
    results = [
        packs_of(asked_of(first, each, budgets=Budgets(2_500)).slate) for each in (second, likelier)
    ]

    assert [[pack.path for pack in packs] for packs in results] == [["a.py", "b.py"]] * 2
    lines = [
        [sum(len(item.snippet) for item in pack.evidence) for pack in packs] for packs in results
    ]
    assert lines[0][0] > lines[0][1]
    assert lines[1][0] < lines[1][1]


def test_fewer_bytes_mean_fewer_files_and_not_files_without_a_line() -> None:
    """Nineteen paths and no line of text answer nothing."""
    code = [
        replace(each, pick=replace(each.pick, rank=rank))
        for rank in range(40)
        for each in [material(f"src/{rank:02d}.py", piece("x = 1\ny = 2", score=0.9 - rank / 100))]
    ]
    slates = [asked_of(*code, budgets=Budgets(size)).slate for size in (1_024, 2_048, 6_144)]
    counts = [len(packs_of(slate)) for slate in slates]

    assert 1 <= counts[0] < counts[1] < counts[2] < 40
    for slate in slates:
        shown = [pack for pack in packs_of(slate) if any(item.snippet for item in pack.evidence)]
        assert len(shown) * 2 >= len(packs_of(slate))


def test_each_sections_best_file_stays_when_there_is_little_room() -> None:
    """Forty files of code must not push out the one document."""
    code = [
        replace(each, pick=replace(each.pick, rank=rank))
        for rank in range(40)
        for each in [material(f"src/{'x' * 60}{rank:02d}.py", piece("x", score=0.9 - rank / 100))]
    ]
    document = material("docs/guide.md", piece("y", score=0.1), section=Section.DOCS)
    result = asked_of(*code, document, budgets=Budgets(total_bytes=4_000, files=100))
    shown = {pack.path for pack in packs_of(result.slate)}

    assert {"docs/guide.md", code[0].pick.candidate.path} <= shown
    assert len(shown) < 41
    cut = next(cut for cut in result.limits if cut.code == "max_slate_files_by_bytes")
    assert (cut.limit, cut.observed) == (len(shown), 41)


def test_the_order_of_the_files_does_not_matter() -> None:
    """Nor that of segments, which it might come from."""
    for seed in range(40):
        question = Chance(seed).question()
        turned = replace(question, files=question.files[::-1])

        assert stable_json.dumps(slate_json(question.drawn().slate)) == stable_json.dumps(
            slate_json(turned.drawn().slate)
        )


def test_an_empty_slate_fits_the_smallest_budget() -> None:
    """Nobody is refused a budget that holds nothing but what was asked."""
    terms = tuple("\u0001" * 30 for _ in range(64))
    budgets, _ = effective(Budgets(MIN_SLATE_BYTES), 3)
    plan = SlatePlan(3, budgets, Confidence.NONE, terms, "description", left=9, has_session=True)
    slate = drawn((), plan).slate

    assert size(slate_json(slate)) == slate.total_bytes <= MIN_SLATE_BYTES
    assert slate.sections == ()
    assert slate.overview.missing == SECTIONS


def test_a_candidate_without_text_is_a_pack_nevertheless() -> None:
    """A file of one empty line may be what was asked for by its name."""
    result = asked_of(material("empty.py", section=Section.CODE))
    (pack,) = packs_of(result.slate)

    assert (pack.path, pack.line, pack.evidence, pack.anchor) == ("empty.py", 1, (), None)
    assert result.limits == ()
    assert candidate("empty.py").path == pack.path


WEAK = piece("def restart():", 40, 1.0)
BEST = piece("class Arbiter:", 10, 2.0)


def test_a_file_is_placed_at_its_best_evidence_or_where_it_was_asked_for() -> None:
    """That is the line which a reader opens first, and which the hint that follows opens."""
    chosen = material("arbiter.py", BEST, WEAK)
    asked = replace(chosen, pick=replace(chosen.pick, reason="expand_target", lines=(40,)))

    assert [packs_of(asked_of(each).slate)[0].line for each in (chosen, asked)] == [10, 40]


def test_opening_lines_that_are_all_hidden_are_no_anchor() -> None:
    """Its ids and line numbers alone would cost bytes in every file with a licence."""
    hidden = piece("# Copyright", snippet="", hidden_lines=1, reason="anchor_for_context")
    shown = piece("import os", reason="anchor_for_context")
    files = (material("arbiter.py", BEST, anchor=anchor) for anchor in (hidden, shown))

    assert [packs_of(asked_of(file).slate)[0].anchor is None for file in files] == [True, False]

"""Builds the benchmark folder of the list from fetched histories, in the form of a kit.

    FOLDER/sources/OWNER+NAME/   the files of the base revision
    FOLDER/repos.json            repositories, with their part
    FOLDER/queries.jsonl         subjects, and again subjects with what is said below them

An answer has lines where the commit changes functions that the base has.

Nothing of it is committed: messages and sources are read from the histories each time.
"""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from ggrep.base import stable_json
from training.changes.histories import commits_of, unpack
from training.changes.listing import Listed
from training.changes.places import MOST_FUNCTIONS, changed_functions
from training.changes.rules import Commit, answers_of, body_of, question_of, spells
from training.encoder.wanted import is_excluded

SUBJECT, WHOLE = "subject", "subject and body"
UNSPELT = "unspelt"
"""Ends the category of questions in which no word is a part of an answer's file name."""


def folder_of(name: str) -> str:
    """Return the one path part that stands for `owner/name`."""
    return name.replace("/", "+")


def build(
    listed: Iterable[Listed],
    histories: Path,
    folder: Path,
    exclusions: frozenset[str],
    tell: Callable[[str], None],
) -> None:
    """Write the folder; sources that are there are left as they are.

    Args:
        listed: the repositories.
        histories: holds `OWNER+NAME/repo`, a git directory each.
        folder: the benchmark's.
        exclusions: names that no folder of the sources may bear; such folders are taken out.
        tell: hears of repositories that are missing.
    """
    repos, lines = {}, []
    for each in listed:
        repo, place = histories / folder_of(each.name) / "repo", folder_of(each.name)
        if not repo.is_dir():
            tell(f"{each.name}: not fetched")
            continue
        sources = folder / "sources" / place
        if not sources.is_dir():
            unpack_clear(repo, each.base, sources, exclusions)
        repos[place] = {"language": each.language, "part": each.part, "base": each.base}
        lines += _questions(each, repo, sources)
    (folder / "repos.json").write_bytes(stable_json.dumps_pretty(repos))
    (folder / "queries.jsonl").write_bytes(b"".join(lines))


def unpack_clear(repo: Path, base: str, sources: Path, exclusions: frozenset[str]) -> None:
    """Write the files of a revision, whole or not at all, without folders of excluded names."""
    half = sources.with_name(sources.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    unpack(repo, base, half, lambda path: not is_excluded(path.split("/")[:-1], exclusions))
    half.rename(sources)


def _questions(listed: Listed, repo: Path, sources: Path) -> list[bytes]:
    wanted = {commit_id: number for number, commit_id in enumerate(listed.commits)}
    found: dict[int, list[bytes]] = {}
    for commit in commits_of(repo):
        if commit.commit_id not in wanted:
            continue
        number = wanted[commit.commit_id]
        found[number] = questions_of(commit, repo, sources, listed.language)
    return [line for number in sorted(found) for line in found[number]]


def questions_of(commit: Commit, repo: Path, sources: Path, language: str) -> list[bytes]:
    """Return a commit's subject as a question, and again with its body, as lines of a kit.

    Args:
        commit: what is asked for.
        repo: the git directory.
        sources: the files of the base revision, in a folder that is named as the repository.
        language: of the repository.
    """
    place = sources.name
    question, answers, body = question_of(commit), answers_of(commit), body_of(commit)
    kind = "" if spells(question, answers) else f", {UNSPELT}"
    relevant = _relevant(commit, repo, sources, answers)
    asked = [(SUBJECT, question)]
    if body:
        asked.append((WHOLE, f"{question}\n\n{body}"))
    return [
        stable_json.dumps(
            {
                "qid": f"{place}:{commit.commit_id[:12]}:{'s' if form == SUBJECT else 'b'}",
                "repo": place,
                "query": text,
                "category": form + kind,
                "language": language,
                "relevant": relevant,
                "secondary": [],
            }
        )
        + b"\n"
        for form, text in asked
    ]


def _relevant(
    commit: Commit, repo: Path, sources: Path, answers: Iterable[str]
) -> list[dict[str, str | int]]:
    """Return the answers, with the lines of the functions that the commit changes."""
    functions = [
        (path, each)
        for path in answers
        if (sources / path).is_file()
        for each in changed_functions(repo, commit.commit_id, path, (sources / path).read_bytes())
    ]
    if len(functions) > MOST_FUNCTIONS:
        functions = []
    whole = set(answers) - {path for path, _ in functions}
    relevant: list[dict[str, str | int]] = []
    for path, each in functions:
        relevant.append({"path": path, "start": each.start, "end": each.end})
    return relevant + [{"path": path} for path in sorted(whole)]

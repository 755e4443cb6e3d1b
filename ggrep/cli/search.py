"""`ggrep search`, and `ggrep "words"`."""

from pathlib import Path
from typing import Annotated

import typer

from ggrep.cli.one_search import Manner, Shape, search_one
from ggrep.cli.options import YesOption
from ggrep.cli.profiles import ProfileOption
from ggrep.cli.search_flags import (
    DEFAULT_COHORT_POLICY,
    DEFAULT_CONCURRENCY,
    ReceiptFlags,
    SearchFlags,
    WorkspaceFlags,
    existing_path,
    refuse_workspace_flags,
)
from ggrep.cli.slate_flags import SlateFlags, wants_slate
from ggrep.cli.terminal import open_terminal
from ggrep.cli.usage import require_place
from ggrep.domain.filters import keys_told
from ggrep.errors import UsageError
from ggrep.public.places import Place, place_of
from ggrep.render.hits import HitView


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""
    app.command("search")(search)


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in words or names.")],
    path: Annotated[
        str | None, typer.Argument(help="Search below this directory, or in this file.")
    ] = None,
    top: Annotated[
        list[int] | None, typer.Option("-m", "--max", "--top", help="Most hits. [default: 10]")
    ] = None,
    per_file: Annotated[
        int | None,
        typer.Option("--per-file", help="Most hits of one file; 0 for no bound. [default: 3]"),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", help="Intent: balanced, discovery, implementation, planning or debug."
        ),
    ] = None,
    discovery: Annotated[bool, typer.Option("-d", "--discovery", help="Intent: breadth.")] = False,
    implementation: Annotated[
        bool, typer.Option("-i", "--implementation", help="Intent: code first.")
    ] = False,
    planning: Annotated[
        bool, typer.Option("-p", "--planning", help="Intent: documents first.")
    ] = False,
    debug: Annotated[bool, typer.Option("-b", "--debug", help="Intent: hunting a bug.")] = False,
    content: Annotated[bool, typer.Option("-c", "--content", help="Whole chunks.")] = False,
    no_snippet: Annotated[bool, typer.Option("-n", "--no-snippet", help="No text.")] = False,
    short: Annotated[bool, typer.Option("-s", "--short-snippet", help="8 lines.")] = False,
    long: Annotated[bool, typer.Option("-l", "--long-snippet", help="24 lines.")] = False,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="all, code, prose, extracted-prose or records; repeatable."),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", help=f"{keys_told()}; negate with a leading -."),
    ] = None,
    backend: Annotated[str, typer.Option("--backend", help="auto or exact: the same.")] = "auto",
    anchors: Annotated[bool, typer.Option("--anchors", help="Show file headers too.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Each file once, paths alone; in JSON without text.")
    ] = False,
    scores: Annotated[bool, typer.Option("--scores", help="Print scores.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print how scores came about.")
    ] = False,
    keep_weak: Annotated[
        bool, typer.Option("--keep-weak", help="Show all hits of a weak answer.")
    ] = False,
    find: Annotated[
        str,
        typer.Option(
            "--find",
            help="Look for the query as: auto, definition, usage, concept, exact-text, regex or"
            " similar-code.",
        ),
    ] = "auto",
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Score by words and structure alone.")
    ] = False,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Equal bytes for equal state.")
    ] = False,
    sync: Annotated[bool, typer.Option("--sync", help="Update the index first.")] = False,
    strict_sync: Annotated[
        bool,
        typer.Option("--strict", help="With --sync: fail where a file cannot be had as it should."),
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Read the index here; ask and start no daemon.")
    ] = False,
    yes: YesOption = False,
    exit_status: Annotated[
        bool, typer.Option("--exit-status", help="Exit 1 when nothing was found, as grep does.")
    ] = False,
    timeout_ms: Annotated[int, typer.Option("--timeout-ms", help="Deadline; 0: configured.")] = 0,
    encoder: Annotated[
        str | None, typer.Option("--encoder", help="Encoder instead of the configured one.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="text, or slate: files by section, with evidence.")
    ] = "text",
    level: Annotated[
        int | None, typer.Option("--level", help="Of a slate, 0 to 3. [default: 1]")
    ] = None,
    max_bytes: Annotated[int, typer.Option("--max-bytes", help="Of a slate as JSON.")] = 0,
    max_files: Annotated[int, typer.Option("--max-files", help="Of a slate.")] = 0,
    profile: ProfileOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="No colour.")] = False,
    repo: Annotated[Path | None, typer.Option("--repo", help="Search this repository.")] = None,
    workspace: Annotated[
        list[Path] | None,
        typer.Option("--workspace", help="Search all repositories of a workspace file."),
    ] = None,
    select: Annotated[list[str] | None, typer.Option("--select", help="Also this repo.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="None but this repo.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Repos with this tag.")] = None,
    repo_filter: Annotated[
        list[str] | None, typer.Option("--repo-filter", help="Repos matching this glob.")
    ] = None,
    include_disabled: Annotated[
        bool, typer.Option("--include-disabled", help="Disabled repos too.")
    ] = False,
    merge: Annotated[
        str | None,
        typer.Option(
            "--merge",
            help="rrf, global, evidence, global-rrf or weighted-rrf."
            " [default: the workspace's, rrf]",
        ),
    ] = None,
    rrf_k: Annotated[
        int | None, typer.Option("--rrf-k", help="Damping of the rrf merge. [default: 60]")
    ] = None,
    top_per_repo: Annotated[
        int | None, typer.Option("--top-per-repo", help="Hits asked of each repo.")
    ] = None,
    max_repos: Annotated[
        int, typer.Option("--max-repos", help="Search the repos that fit best; 0: all.")
    ] = 0,
    fold: Annotated[
        bool | None,
        typer.Option("--fold/--no-fold", help="Show copies of one text in several repos once."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Repos searched at once.")
    ] = DEFAULT_CONCURRENCY,
    cohort: Annotated[
        list[str] | None, typer.Option("--cohort", help="KEY or CORPUS:KEY to search.")
    ] = None,
    cohort_policy: Annotated[
        str, typer.Option("--cohort-policy", help="default, strict or priority.")
    ] = DEFAULT_COHORT_POLICY,
    allow_unsafe_mix: Annotated[
        bool, typer.Option("--allow-unsafe-mix", help="Mix repos that do not compare.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--federated-strict", help="Fail when any repo fails.")
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Add figures that vary.")] = False,
    include_paths: Annotated[
        bool, typer.Option("--debug-include-paths", help="Show absolute paths.")
    ] = False,
    receipt: Annotated[
        Path | None,
        typer.Option("--receipt", help="Write what ggrep replay reads; --deterministic with it."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --receipt replace a file that is no receipt.")
    ] = False,
) -> int:
    """Search a repository, or a workspace of them."""
    terminal = open_terminal(plain=plain)
    named = {
        "discovery": discovery,
        "implementation": implementation,
        "planning": planning,
        "debug": debug,
    }
    depths = {"full": content, "none": no_snippet, "short": short, "long": long}
    flags = SearchFlags(
        query=query,
        top=tuple(top or ()),
        per_file=per_file,
        modes=(*([mode] if mode else []), *(name for name, given in named.items() if given)),
        snippets=tuple(name for name, given in depths.items() if given),
        corpus=tuple(corpus or ()),
        filters=tuple(filters or ()),
        backend=backend,
        anchors=anchors,
        deterministic=deterministic or receipt is not None,
        explain=explain,
        keep_weak=keep_weak,
        find=find,
        vectors=not no_vectors,
        compact=compact,
        timeout_ms=timeout_ms,
    )
    view = HitView(
        words=_words(query),
        scores=scores,
        explain=explain,
        compact=compact,
        columns=0 if content else terminal.columns,
    )
    given = WorkspaceFlags(
        files=tuple(workspace or ()),
        repo=repo,
        path=path,
        select=tuple(select or ()),
        only=tuple(only or ()),
        tags=tuple(tag or ()),
        repo_filter=tuple(repo_filter or ()),
        include_disabled=include_disabled,
        merge=merge,
        rrf_k=rrf_k,
        top_per_repo=top_per_repo,
        max_repos=max_repos,
        fold=fold,
        concurrency=concurrency,
        cohort=tuple(cohort or ()),
        cohort_policy=cohort_policy,
        allow_unsafe_mix=allow_unsafe_mix,
        strict=strict,
        stats=stats,
        include_paths=include_paths,
        encoder=encoder,
        sync=sync,
        strict_sync=_only_with_sync(strict_sync, sync=sync),
        offline=offline,
        yes=yes,
        receipt=_receipt_flags(receipt, force=force),
    )
    slate = SlateFlags(level=level, max_bytes=max_bytes, max_files=max_files)
    if wants_slate(form, slate):
        from ggrep.cli.slate import Shown, search_as_slate

        shape = Shown(view, profile, json=json, exit_status=exit_status)
        return search_as_slate(terminal, flags, given, slate, shape)
    if given.files:
        if profile is not None:
            raise UsageError("--profile and --workspace cannot go together")
        from ggrep.cli.workspace_search import search_workspace

        return search_workspace(terminal, flags, given, view, json=json, exit_status=exit_status)
    refuse_workspace_flags(given)
    manner = Manner(
        offline=offline,
        yes=yes,
        sync=sync,
        strict_sync=strict_sync,
        receipt=given.receipt,
        exit_status=exit_status,
    )
    overrides = {"encoder": encoder, "profile": profile}
    printed = Shape(json=json, scores=scores, whole=content)
    return search_one(terminal, flags, _place(query, repo, path), overrides, printed, manner)


def _receipt_flags(path: Path | None, *, force: bool) -> ReceiptFlags | None:
    """Return where a receipt is to be written, if it may be; None where none was asked for.

    Raises:
        UsageError: it may not.
    """
    if path is None:
        if force:
            raise UsageError("--force: only with --receipt")
        return None
    from ggrep.cli.receipt_file import require_receipt_place

    require_receipt_place(path, force=force)
    return ReceiptFlags(path, force)


def _words(query: str) -> tuple[str, ...]:
    """Return the words to highlight."""
    return tuple(word for word in query.split() if len(word) > 2)


def _only_with_sync(strict: bool, *, sync: bool) -> bool:
    if strict and not sync:
        raise UsageError("--strict: only with --sync")
    return strict


def _place(query: str, repo: Path | None, path: str | None) -> Place:
    if repo is not None and path is not None:
        raise UsageError("--repo and a PATH cannot go together")
    if repo is not None:
        return Place(place_of(repo).root, "")
    require_place("search", query, path)
    return place_of(existing_path(path))

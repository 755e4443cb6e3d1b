"""Sabotages of the federation and of its surfaces; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

API_BODIES = "tests/api/test_http_requests.py::"
API_EVENTS = "tests/api/test_events.py::"
API_FEDERATED = "tests/api/test_federated.py::"
API_GATE = "tests/api/test_gate.py::"
API_LEAVING = "tests/api/test_http_requests.py::"
ASKING_ONCE = "tests/federation/test_asking_once.py::"
BUILDING = "tests/federation/test_building.py::"
CLIENT_CHANNEL = "tests/client/test_channel.py::"
CLIENT_CHANNELS = "tests/client/test_channels.py::"
CLIENT_DIALLING = "tests/client/test_dialling.py::"
CLIENT_STARTING = "tests/client/test_starting.py::"
COORDINATOR = "tests/federation/test_coordinator.py::"
COVERAGE = "tests/federation/test_coverage.py::"
DAEMON_POOL_MEMORY = "tests/daemon/test_pool_memory.py::"
DAEMON_SEARCHER = "tests/federation/test_daemon_searcher.py::"
DAEMON_SERVING = "tests/daemon/test_serving.py::"
DAEMON_STALE = "tests/daemon/test_stale.py::"
DOCTOR = "tests/federation/test_doctor.py::"
DOMAIN_DECODE = "tests/domain/test_decode.py::"
REPO_SCORES = "tests/federation/test_repo_scores.py::"
FANOUT = "tests/federation/test_fanout.py::"
FOLDING = "tests/federation/test_folding.py::"
GLOBS = "tests/federation/test_globs.py::"
HOSTILE_WORKSPACES = "tests/federation/test_hostile_workspaces.py::"
INCLUDED = "tests/federation/test_included.py::"
INDEX_STATE = "tests/federation/test_index_state.py::"
MANIFEST = "tests/federation/test_manifest.py::"
MCP_ARGUMENTS = "tests/mcp/test_arguments.py::"
MCP_CALLS = "tests/mcp/test_tool_calls.py::"
MCP_FAILURES = "tests/mcp/test_failures.py::"
MCP_LINES = "tests/mcp/test_stdio.py::"
MCP_PLACES = "tests/mcp/test_places.py::"
MCP_PROGRESS = "tests/mcp/test_progress.py::"
MEMORY = "tests/federation/test_memory.py::"
MERGING = "tests/federation/test_merging.py::"
ORPHANS = "tests/federation/test_orphans.py::"
PARSING = "tests/federation/test_parsing.py::"
RESPONSE = "tests/federation/test_response.py::"
ROUTING = "tests/federation/test_routing.py::"
SELECTION = "tests/federation/test_selection.py::"
SURFACES_ALLOWLIST = "tests/surfaces/test_allowlist.py::"
SURFACES_BODY = "tests/surfaces/test_body.py::"
SURFACES_FEDERATOR = "tests/surfaces/test_federator.py::"
SURFACES_MEETINGS = "tests/surfaces/test_meetings.py::"
SURFACES_OPENING = "tests/surfaces/test_opening.py::"
WORKSPACE = "tests/federation/test_workspace.py::"

UNION_OF_USES = (
    "tests/properties/test_names_over_workspaces.py::"
    "test_usages_of_a_container_are_judged_as_by_one_store"
)
WORKSPACE_NAMES = "tests/federation/test_workspace_names.py::"
UNION_OF_NAMES = (
    "tests/properties/test_names_over_workspaces.py::test_a_name_is_answered_as_by_one_store"
)

FEDERATION_SABOTAGES = (
    # Names over workspaces.
    Sabotage(
        "each repository falls back to another letter case by itself",
        "ggrep/federation/name_rounds.py",
        "            if (found := self.decided()) is not None or self.session.is_over:\n",
        "            if self.session.is_over or step == steps[-1] and (found := step):\n",
        (
            WORKSPACE_NAMES
            + "test_other_letter_cases_count_only_where_nothing_in_the_workspace_is_spelled_so",
            UNION_OF_NAMES,
        ),
    ),
    Sabotage(
        "a path counts beside what is enclosed so elsewhere",
        "ggrep/federation/name_merging.py",
        "if pool.fit == best}",
        "if pool.fit in FITTING}",
        (
            WORKSPACE_NAMES
            + "test_a_path_counts_only_where_nothing_is_enclosed_so_in_any_repository",
            UNION_OF_NAMES,
        ),
    ),
    Sabotage(
        "definitions lie repository by repository",
        "ggrep/federation/name_merging.py",
        "    definitions.sort(key=_definition_order)\n",
        "",
        (
            WORKSPACE_NAMES + "test_definitions_are_ordered_as_in_one_store_and_by_repository_last",
            UNION_OF_NAMES,
        ),
    ),
    Sabotage(
        "usages of files of equal paths are mixed by line",
        "ggrep/federation/name_merging.py",
        "    return mention_order(use), pooled.test, use.path, repo, use.line, use.column\n",
        "    return mention_order(use), pooled.test, use.path, use.line, use.column, repo\n",
        (WORKSPACE_NAMES + "test_files_of_equal_paths_stay_together",),
    ),
    Sabotage(
        "what may be of another container stands among what is not",
        "ggrep/federation/name_merging.py",
        "    return mention_order(use), pooled.test, use.path, repo, use.line, use.column\n",
        "    return False, pooled.test, use.path, repo, use.line, use.column\n",
        (UNION_OF_USES,),
    ),
    Sabotage(
        "each repository judges usages by its own definitions",
        "ggrep/federation/name_rounds.py",
        "        await rounds.judge(other, step, family)\n",
        "",
        (
            UNION_OF_USES,
            WORKSPACE_NAMES + "test_definitions_of_all_repositories_judge_usages",
        ),
    ),
    Sabotage(
        "definitions of who failed judge the usages of others",
        "ggrep/federation/name_rounds.py",
        "        defined = merge_definitions(pools, owners)\n",
        "        defined = locals().get('defined') or merge_definitions(pools, owners)\n",
        (WORKSPACE_NAMES + "test_who_fails_while_judging_has_no_say_in_it",),
    ),
    Sabotage(
        "filters match nothing where any repository says so",
        "ggrep/model/filters.py",
        "tuple(map(any, ",
        "tuple(map(all, ",
        (WORKSPACE_NAMES + "test_filters_that_match_nothing_anywhere_are_named",),
    ),
    Sabotage(
        "suggestions are those of the first repository",
        "ggrep/federation/name_merging.py",
        "            if best is None or (near.path, repo) < best[:2]:\n",
        "            if best is None:\n",
        (WORKSPACE_NAMES + "test_suggestions_are_the_nearest_of_all_repositories",),
    ),
    Sabotage(
        "a usage is tied by any import at all",
        "ggrep/federation/workspace_names.py",
        "            if provided\n",
        "            if importer\n",
        (WORKSPACE_NAMES + "test_a_usage_elsewhere_is_tied_by_an_import_or_a_guess",),
    ),
    Sabotage(
        "a page skips what other repositories have shown",
        "ggrep/federation/workspace_names.py",
        "before.get(repo, 0) + here.get(repo, 0))\n",
        "before.get(repo, 0) + len(shown))\n",
        (WORKSPACE_NAMES + "test_pages_together_are_the_whole_answer", UNION_OF_NAMES),
    ),
    Sabotage(
        "a page goes on without a repository that earlier ones had a part of",
        "ggrep/federation/workspace_names.py",
        "        return envelope if error is None else replace(envelope, error=error)\n",
        "        return envelope\n",
        (WORKSPACE_NAMES + "test_a_page_of_a_snapshot_that_is_gone_is_refused",),
    ),
    # The federation.
    Sabotage(
        "figures are remembered of the snapshot that was described",
        "ggrep/federation/fanout_session.py",
        "self.descriptions[repo]), snapshot_id=figures.snapshot_id\n",
        "self.descriptions[repo])\n",
        (MEMORY + "test_figures_are_of_the_snapshot_that_gave_them",),
    ),
    Sabotage(
        "longer lists are measured against their own repository",
        "ggrep/federation/fanout_session.py",
        "self._try, repo, figures.get(repo), total, length)",
        "self._try, repo, figures.get(repo), None, length)",
        (MERGING + "test_longer_lists_are_of_the_same_snapshot_and_figures",),
    ),
    Sabotage(
        "making ready may take all of the time",
        "ggrep/federation/fanout_session.py",
        "_PREPARE_SHARE: Final = 2",
        "_PREPARE_SHARE: Final = 1",
        (ASKING_ONCE + "test_making_ready_takes_half_of_the_time_at_most",),
    ),
    Sabotage(
        "what takes them little waits for as few places as searches",
        "ggrep/federation/fanout_session.py",
        "at_once = max(_AT_ONCE, self.request.concurrency) if cheap else self.request.concurrency",
        "at_once = self.request.concurrency",
        (ASKING_ONCE + "test_what_takes_them_little_is_asked_of_many_at_once",),
    ),
    Sabotage(
        "a repository is asked for more than its own cap",
        "ggrep/federation/fanout_session.py",
        "limit=min(request.top, MAX_QUERY_RESULTS),",
        "limit=request.top,",
        (ASKING_ONCE + "test_nobody_is_asked_for_more_than_a_repository_gives",),
    ),
    Sabotage(
        "patience with a busy daemon outlasts its share of the time",
        "ggrep/federation/fanout.py",
        "left_s = anyio.current_effective_deadline() - anyio.current_time()",
        "left_s = self._deadline.remaining_ms() / 1000.0",
        (FANOUT + "test_a_busy_daemon_is_not_waited_for_beyond_its_share",),
    ),
    Sabotage(
        "a strict failure stops those before it too",
        "ggrep/federation/fanout.py",
        "self._failed is not None and repo_id > self._failed",
        "self._failed is not None and repo_id != self._failed",
        (FANOUT + "test_strict_reports_the_first_failure_by_id",),
    ),
    Sabotage(
        "the last turn of a fanout is not counted",
        "ggrep/federation/fanout.py",
        "math.ceil(self._to_start / self.concurrency)",
        "math.floor(self._to_start / self.concurrency)",
        (FANOUT + "test_two_places_for_three_calls_are_two_turns",),
    ),
    Sabotage(
        "who is the last keeps to a share though nobody waits",
        "ggrep/federation/fanout.py",
        "            scope.deadline = math.inf\n",
        "            assert scope\n",
        (FANOUT + "test_who_has_nobody_waiting_behind_may_take_all_the_time",),
    ),
    Sabotage(
        "what a strict failure decided is told of",
        "ggrep/federation/fanout.py",
        "        if outcome is not None and not self._decided(repo_id):\n",
        "        if outcome is not None:\n",
        (FANOUT + "test_what_a_strict_failure_decided_is_not_told_of",),
    ),
    Sabotage(
        "no time is kept for merging",
        "ggrep/federation/coordinator.py",
        "min(MERGE_RESERVE_MS, end.remaining_ms() / 10)",
        "min(MERGE_RESERVE_MS, 0.0)",
        (ASKING_ONCE + "test_time_is_kept_for_merging",),
    ),
    Sabotage(
        "lists of a partial answer are remembered",
        "ggrep/federation/coordinator.py",
        "if not session.failures and pool_set.whole:",
        "if pool_set.whole:",
        (MEMORY + "test_a_failure_is_never_remembered",),
    ),
    Sabotage(
        "who was selected by name may be routed around",
        "ggrep/federation/batched_query.py",
        "explicit=session.selection.named,",
        "explicit=(),",
        (COORDINATOR + "test_who_is_selected_by_name_is_searched_however_few_are",),
    ),
    Sabotage(
        "longer lists of another snapshot stand in",
        "ggrep/federation/coordinator.py",
        "if _same(pool, pool_set.pools[repo])",
        "if pool.blended",
        (MERGING + "test_longer_lists_of_another_snapshot_are_left_out",),
    ),
    Sabotage(
        "a bound on repositories asks for no figures where ranks are merged",
        "ggrep/federation/coordinator.py",
        "if force.max_repos or (together and not weak):",
        "if together and not weak:",
        (COORDINATOR + "test_who_is_selected_by_name_is_searched_however_few_are",),
    ),
    Sabotage(
        "notices are no part of a remembered question",
        "ggrep/federation/coordinator_cache.py",
        "                descriptions[repo].notices,\n",
        "                (),\n",
        (MEMORY + "test_what_a_repository_noticed_when_it_was_asked_is_not_told_later",),
    ),
    Sabotage(
        "admitted corpora are no part of a remembered question",
        "ggrep/federation/coordinator_cache.py",
        "                plan.corpora_of(repo),\n",
        "                (),\n",
        (MEMORY + "test_for_which_corpora_a_repository_is_asked_is_part_of_the_question",),
    ),
    Sabotage(
        "lists of corpora take no room in memory",
        "ggrep/federation/coordinator_cache.py",
        "for hits in (pool.blended, *(found for _, found in pool.corpora))",
        "for hits in (pool.blended,)",
        (MEMORY + "test_hits_of_corpora_take_room",),
    ),
    Sabotage(
        "hits of corpora that a repository is not admitted to are blended",
        "ggrep/federation/merge.py",
        "hits = tuple(hit for hit in pool.blended if hit.corpus in corpora_of_repo)",
        "hits = pool.blended",
        (MERGING + "test_only_the_admitted_take_part_in_a_corpus",),
    ),
    Sabotage(
        "copies are folded after the cut",
        "ggrep/federation/merge.py",
        "for hits in (_folded(_ordered(items, rules), rules),)",
        "for hits in (_folded(_ordered(items, rules)[: rules.top], rules),)",
        (MERGING + "test_places_that_folding_frees_are_taken_in_each_corpus_too",),
    ),
    Sabotage(
        "files of one path in two repositories share a limit",
        "ggrep/federation/merge.py",
        "file=lambda merged: (merged.repo_id, merged.hit.path),",
        "file=lambda merged: merged.hit.path,",
        (MERGING + "test_files_of_one_name_in_two_repositories_are_two_files",),
    ),
    Sabotage(
        "the longest list is looked for among blended ones alone",
        "ggrep/federation/merge.py",
        "lists = [*self.blended, *(item for _, items in self.corpora for item in items)]",
        "lists = [*self.blended]",
        (MERGING + "test_the_longest_list_may_be_that_of_a_corpus",),
    ),
    Sabotage(
        "a repository without chunks has no score",
        "ggrep/federation/routing.py",
        "return {repo: found.get(repo, 0.0) for repo in figures}",
        "return found",
        (REPO_SCORES + "test_a_repository_without_a_chunk_scores_nothing",),
    ),
    Sabotage(
        "who holds the last place is asked for more",
        "ggrep/federation/merge.py",
        "for merged in ordered[place:]}",
        "for merged in ordered[place + 1 :]}",
        (FOLDING + "test_whoever_holds_the_last_place_or_a_later_one_is_not_named",),
    ),
    Sabotage(
        "a list of just enough texts counts as used up",
        "ggrep/federation/merge.py",
        "for hit in item.hits}) < top\n",
        "for hit in item.hits}) <= top\n",
        (FOLDING + "test_a_list_of_enough_texts_is_not_used_up",),
    ),
    Sabotage(
        "repositories without chunks count for the bound",
        "ggrep/federation/routing.py",
        "if not max_repos or len(filled) <= max_repos:",
        "if not max_repos or len(repos) <= max_repos:",
        (ROUTING + "test_repositories_without_chunks_are_none_of_those_to_choose_from",),
    ),
    Sabotage(
        "a query for a dotted name spells no file",
        "ggrep/federation/repo_outcomes.py",
        'frozenset("/\\\\.")',
        'frozenset("/\\\\")',
        (COVERAGE + "test_a_query_that_may_spell_a_path_finds_files_without_words",),
    ),
    Sabotage(
        "words in paths cannot change an answer",
        "ggrep/federation/repo_outcomes.py",
        "if any(entry.chunks or entry.files for",
        "if any(entry.chunks for",
        (COVERAGE + "test_one_that_holds_words_of_the_query_could_have_changed_the_lists",),
    ),
    Sabotage(
        "weak hits of equal paths in two repositories are of one file",
        "ggrep/federation/answer_assembly.py",
        "file=lambda merged: (merged.repo_id, merged.hit.path),\n            keep_weak",
        "file=lambda merged: merged.hit.path,\n            keep_weak",
        (COORDINATOR + "test_of_a_weak_answer_equal_paths_are_files_of_their_repositories",),
    ),
    Sabotage(
        "longer lists are cut to the first length again",
        "ggrep/federation/answer_assembly.py",
        "per_repo_top=max([force.per_repo_top, *pool_set.asked.values()]),",
        "per_repo_top=force.per_repo_top,",
        (MERGING + "test_a_list_that_was_used_up_is_asked_for_twice_the_length",),
    ),
    Sabotage(
        "a list that is exactly as long as asked for is no cut",
        "ggrep/federation/answer_assembly.py",
        "longest >= force.per_repo_top:",
        "longest > force.per_repo_top:",
        (COORDINATOR + "test_a_per_repo_top_too_small_to_be_exact_is_said",),
    ),
    Sabotage(
        "cuts of one repository come in any order",
        "ggrep/federation/repo_outcomes.py",
        'self.repo_id or "", self.limit.code, self.limit.path_key or ""',
        'self.repo_id or "", "", ""',
        (COORDINATOR + "test_cuts_of_one_repository_come_by_their_code",),
    ),
    Sabotage(
        "routing around a repository is an error of it",
        "ggrep/federation/answer_assembly.py",
        "item for item in reports if item.repo.repo_id not in pool_set.skipped",
        "item for item in reports",
        (COORDINATOR + "test_who_is_selected_by_name_is_searched_however_few_are",),
    ),
    Sabotage(
        "the shortest of nested files is named first",
        "ggrep/federation/federated_response.py",
        "key=len, reverse=True)",
        "key=len)",
        (RESPONSE + "test_of_nested_paths_the_longest_is_named",),
    ),
    Sabotage(
        "roots are redacted as they are resolved alone",
        "ggrep/federation/envelope.py",
        "    paths |= {repo.root_abs for repo in workspace.repos}\n",
        "",
        (RESPONSE + "test_a_root_is_known_as_written_and_as_resolved",),
    ),
    Sabotage(
        "a daemon without time left may take as long as it likes",
        "ggrep/protocol/wire/messages.py",
        "return max(1, int(min(left_ms, MAX_QUERY_TIMEOUT_MS)))",
        "return int(min(left_ms, MAX_QUERY_TIMEOUT_MS))",
        (DAEMON_SEARCHER + "test_next_to_no_time_is_not_all_the_time_there_is",),
    ),
    Sabotage(
        "settings of the last request are good for the next",
        "ggrep/federation/daemon_searcher.py",
        "        self._met = {}\n        met = self._met\n",
        "        met = self._met\n",
        (
            DAEMON_SEARCHER
            + "test_settings_that_are_wrong_by_now_are_not_those_of_the_last_request",
        ),
    ),
    Sabotage(
        "what is named and taken away again stays named",
        "ggrep/federation/selection.py",
        "named=frozenset(by_name & chosen),",
        "named=frozenset(by_name),",
        (SELECTION + "test_what_is_taken_away_again_is_not_named",),
    ),
    Sabotage(
        "each glob has a bound of its own",
        "ggrep/federation/selection.py",
        "        steps += MAX_ALTERNATIVES",
        "        steps = MAX_ALTERNATIVES",
        (GLOBS + "test_many_globs_share_one_bound",),
    ),
    Sabotage(
        "a root that became a link counts as canonical",
        "ggrep/federation/containment.py",
        "return canonical_path(path) == path",
        "return lexical_path(path) == path",
        (HOSTILE_WORKSPACES + "test_a_root_that_became_a_link_is_seen_as_one",),
    ),
    Sabotage(
        "a comma without an element is trailing",
        "ggrep/federation/jsonc.py",
        'before not in "[{,:"',
        'before not in "{,:"',
        (WORKSPACE + "test_each_mistake_has_its_code_field_and_reason",),
    ),
    Sabotage(
        "a key that is spelled otherwise is another key",
        "ggrep/federation/jsonc.py",
        "key = _spelled(text[token.start : token.end])",
        "key = text[token.start : token.end]",
        (PARSING + "test_a_refusal_names_line_and_column_of_the_text_as_written",),
    ),
    Sabotage(
        "a file that became a link after it was checked is followed",
        "ggrep/federation/workspace_text.py",
        "_OPENED | os.O_NOFOLLOW",
        "_OPENED",
        (SURFACES_OPENING + "test_a_link_that_is_there_only_while_the_file_is_read_leads_nowhere",),
    ),
    Sabotage(
        "aliases are compared in lower case alone",
        "ggrep/federation/validation.py",
        "entry.alias.casefold()",
        "entry.alias.lower()",
        (WORKSPACE + "test_aliases_are_equal_in_every_alphabet_s_own_way",),
    ),
    Sabotage(
        "what a glob means beats what stands in the file",
        "ggrep/federation/included.py",
        "            if one.place.canonical not in known:\n",
        "            if one.place.canonical:\n",
        (INCLUDED + "test_what_stands_in_the_file_is_as_it_says",),
    ),
    Sabotage(
        "a directory inside of a repository is one",
        "ggrep/federation/included.py",
        "return place if os.path.realpath(place.absolute) == str(place.canonical) else None",
        "return place",
        (INCLUDED + "test_globs_add_and_take_away_in_their_order",),
    ),
    Sabotage(
        "a caller learns of directories that it may not touch",
        "ggrep/service/workspace_access.py",
        "shows=allowlist.allows",
        "shows=lambda _: True",
        ("tests/surfaces/test_opening.py::test_what_a_glob_means_elsewhere_is_not_told",),
    ),
    Sabotage(
        "the largest workspace is refused",
        "ggrep/federation/validation.py",
        "if len(repos) > MAX_REPOS:",
        "if len(repos) >= MAX_REPOS:",
        (WORKSPACE + "test_as_many_repositories_as_are_read_are_read",),
    ),
    Sabotage(
        "a faulty snapshot that is replaced moves no hash",
        "ggrep/federation/workspace_manifest.py",
        "state.availability, state.index.snapshot_id)",
        "state.availability)",
        (MANIFEST + "test_another_snapshot_moves_the_hash_though_it_is_as_faulty",),
    ),
    Sabotage(
        "a second file over the same repositories takes their directory over",
        "ggrep/federation/manifest_builder.py",
        "if claimed == str(workspace.workspace_path) or os.path.lexists(claimed):",
        "if claimed == str(workspace.workspace_path):",
        (MANIFEST + "test_a_second_file_over_the_same_repositories_takes_nothing_over",),
    ),
    Sabotage(
        "a kept manifest is read through a link",
        "ggrep/federation/manifest_builder.py",
        "os.O_NONBLOCK | os.O_NOFOLLOW |",
        "os.O_NONBLOCK |",
        (MANIFEST + "test_a_kept_manifest_is_not_read_through_a_link",),
    ),
    Sabotage(
        "an artifact above its store is one",
        "ggrep/federation/published_state.py",
        'inside = path and ".." not in PurePosixPath(path).parts and',
        "inside = path and",
        (INDEX_STATE + "test_an_artifact_outside_the_store_is_none",),
    ),
    Sabotage(
        "a daemon without a snapshot is believed before the disk",
        "ggrep/federation/doctor.py",
        "reported if reported is not None and reported.snapshot_id else",
        "reported if reported is not None else",
        (DOCTOR + "test_the_disk_is_believed_where_a_daemon_has_no_snapshot_yet",),
    ),
    Sabotage(
        "a directory is as old as its oldest file",
        "ggrep/federation/orphans.py",
        "max(entry.st_mtime for entry in stats)",
        "min(entry.st_mtime for entry in stats)",
        (ORPHANS + "test_a_directory_is_as_young_as_its_newest_file",),
    ),
    Sabotage(
        "a collection deletes more files than it may",
        "ggrep/federation/orphans.py",
        "        if orphan.files > left:\n",
        "        if not left:\n",
        (ORPHANS + "test_no_more_files_are_deleted_than_told",),
    ),
    Sabotage(
        "a directory whose name only begins as ours is ours",
        "ggrep/federation/orphans.py",
        "_NAME.fullmatch(entry.name)",
        "_NAME.match(entry.name)",
        (ORPHANS + "test_a_longer_name_than_ours_is_not_ours",),
    ),
    Sabotage(
        "a build that was cancelled leaves its workers",
        "ggrep/federation/building.py",
        "                await worker.aclose()",
        "                del worker",
        (BUILDING + "test_a_worker_builds_one_repository_after_another",),
    ),
    Sabotage(
        "escape sequences of a worker reach the terminal",
        "ggrep/federation/building.py",
        "why = sanitise_line(with_path(str(error), repo.root_canonical))",
        "why = with_path(str(error), repo.root_canonical)",
        (BUILDING + "test_a_failure_tells_why_and_stops_nobody",),
    ),
    Sabotage(
        "a directory whose name begins alike is inside",
        "ggrep/federation/containment.py",
        "return path.is_relative_to(root)",
        "return str(path).startswith(str(root))",
        (SURFACES_ALLOWLIST + "test_what_is_beside_or_above_is_outside",),
    ),
    Sabotage(
        "a repository is told of once a round",
        "ggrep/federation/fanout_session.py",
        "if self.arrived is None or repo in self._told:",
        "if self.arrived is None:",
        (ASKING_ONCE + "test_a_repository_that_is_asked_again_is_told_of_once",),
    ),
    Sabotage(
        "a slow description is ended for those who wait behind it",
        "ggrep/federation/fanout.py",
        "run.work_on if overtakes else run.work",
        "run.work",
        (FANOUT + "test_a_slow_call_may_be_overtaken_instead_of_ended",),
    ),
    Sabotage(
        "a strict question waits for all though one failed",
        "ggrep/federation/fanout_session.py",
        "            strict=self.request.strict,\n            done=done,\n",
        "            done=done,\n",
        (ASKING_ONCE + "test_a_strict_failure_is_not_kept_waiting",),
    ),
    # Its clients.
    Sabotage(
        "a request that was never sent is cancelled",
        "ggrep/protocol/client/channel.py",
        "if sent and waiting.reply is None and not self._connection.lost:",
        "if waiting.reply is None and not self._connection.lost:",
        (CLIENT_CHANNEL + "test_a_request_that_never_left_is_not_called_off",),
    ),
    Sabotage(
        "a refusal of one of several is given to the first",
        "ggrep/protocol/wire/connection.py",
        "            if len(self._asked) != 1:\n",
        "            if len(self._asked) == 0:\n",
        (CLIENT_CHANNEL + "test_a_refusal_of_one_of_several_ends_the_connection",),
    ),
    Sabotage(
        "two connections number their requests alike",
        "ggrep/protocol/client/channel.py",
        "os.urandom(8).hex()",
        '"request"',
        (CLIENT_CHANNEL + "test_no_two_connections_number_their_requests_alike",),
    ),
    Sabotage(
        "a frame that was cut off leaves the connection in use",
        "ggrep/protocol/client/channel.py",
        "            except BaseException:\n"
        '                await self._break("a request was not sent',
        '            except Exception:\n                await self._break("a request was not sent',
        (CLIENT_CHANNEL + "test_a_frame_that_is_cut_off_ends_the_connection",),
    ),
    Sabotage(
        "the daemon of a cancelled request is not told",
        "ggrep/protocol/client/channel.py",
        "anyio.move_on_after(_CANCEL_S, shield=True)",
        "anyio.move_on_after(_CANCEL_S)",
        (CLIENT_CHANNEL + "test_who_is_cancelled_has_the_daemon_stop",),
    ),
    Sabotage(
        "a daemon that hangs takes all of the time to prepare",
        "ggrep/protocol/client/channels.py",
        "min(_LOOK_MS, deadline.remaining_ms() / 4)",
        "deadline.remaining_ms()",
        (CLIENT_CHANNELS + "test_who_does_not_introduce_himself_is_waited_for_a_little",),
    ),
    Sabotage(
        "why no daemon can be started is passed over after one died",
        "ggrep/protocol/client/channels.py",
        'if lost is None or start != "never":',
        "if lost is None:",
        (CLIENT_CHANNELS + "test_why_none_can_be_started_is_told_though_one_ran_before",),
    ),
    Sabotage(
        "one host serves two homes",
        "ggrep/protocol/client/launching.py",
        "key = (address.home.base, address.served_profile, flags)",
        "key = (address.served_profile, flags)",
        (CLIENT_CHANNELS + "test_another_home_makes_another_host",),
    ),
    Sabotage(
        "a host is started for a root that is gone",
        "ggrep/protocol/client/launching.py",
        "        and address.identity.root.is_dir()\n",
        "",
        (CLIENT_CHANNELS + "test_one_host_is_started_for_all_that_are_missing",),
    ),
    Sabotage(
        "a host is started beside one that stands in for it",
        "ggrep/protocol/client/launching.py",
        "        and standing_reason(address.socket) is None\n",
        "",
        (CLIENT_CHANNELS + "test_one_host_is_started_for_all_that_are_missing",),
    ),
    Sabotage(
        "what nobody waits for any more is let go of",
        "ggrep/protocol/client/starting.py",
        "pass_fds=descriptors[1:]",
        "pass_fds=[]",
        (CLIENT_STARTING + "test_what_nobody_waits_for_any_more_goes_on_and_keeps_its_claim",),
    ),
    Sabotage(
        "who has no file left to open takes the daemon for missing",
        "ggrep/protocol/client/channel.py",
        "raise BudgetExceeded(",
        "raise Unreachable(",
        (CLIENT_DIALLING + "test_a_process_without_a_file_left_to_open_says_so",),
    ),
    Sabotage(
        "a lock whose file is gone keeps others out",
        "ggrep/protocol/client/starting.py",
        "return os.path.samestat(os.fstat(descriptor), lock.stat())",
        "return os.fstat(descriptor).st_size >= 0",
        (CLIENT_STARTING + "test_the_lock_of_who_is_done_keeps_nobody_out",),
    ),
    # What all surfaces share.
    Sabotage(
        "daemons are started though there is no network to be used",
        "ggrep/service/federator.py",
        'starts = not environ.get("GGREP_OFFLINE")',
        "starts = True",
        (SURFACES_FEDERATOR + "test_an_offline_machine_starts_no_daemon",),
    ),
    Sabotage(
        "a settings file of the same size and time is the same",
        "ggrep/service/daemon_addresses.py",
        "status.st_size, status.st_mtime_ns, status.st_ctime_ns",
        "status.st_size, status.st_mtime_ns",
        (SURFACES_MEETINGS + "test_settings_of_a_repository_that_change_are_read",),
    ),
    Sabotage(
        "what --only names is not named",
        "ggrep/service/workspace_access.py",
        "tokens = (*request.select, *request.only)",
        "tokens = request.select",
        (SURFACES_OPENING + "test_a_repository_outside_must_not_be_named",),
    ),
    Sabotage(
        "paths below the caller's directory name nothing",
        "ggrep/service/workspace_access.py",
        "resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))",
        "resolve = path_resolver((workspace.workspace_dir,))",
        (SURFACES_OPENING + "test_a_repository_outside_must_not_be_named_by_a_path_of_the_caller",),
    ),
    Sabotage(
        "a forbidden repository has its daemon started",
        "ggrep/service/workspace_access.py",
        "        await self.inner.prepare(self._allowed(repos), deadline)",
        "        await self.inner.prepare(repos, deadline)",
        (SURFACES_OPENING + "test_the_guard_lets_through_who_may_be_asked",),
    ),
    Sabotage(
        "nothing at once is taken for the usual concurrency",
        "ggrep/interfaces/surfaces/body_shape.py",
        "            if value is None:\n                continue",
        "            if not value:\n                continue",
        (SURFACES_BODY + "test_no_place_at_all_is_not_the_usual_number_of_places",),
    ),
    Sabotage(
        "a figure has no upper bound",
        "ggrep/interfaces/surfaces/body_shape.py",
        "case int() if not says.least <= value <= says.most:",
        "case int() if not says.least <= value:",
        (SURFACES_BODY + "test_a_wrong_search_of_one_repository_is_refused",),
    ),
    Sabotage(
        "an object inside of a body may hold anything",
        "ggrep/interfaces/surfaces/body_shape.py",
        "            inner.finish()\n",
        "",
        (SURFACES_BODY + "test_an_unknown_key_is_refused_wherever_it_stands",),
    ),
    # HTTP.
    Sabotage(
        "a preflight of nobody is answered without a token",
        "ggrep/interfaces/surfaces/http_server.py",
        'if origin and scope["method"] == "OPTIONS":',
        'if scope["method"] == "OPTIONS":',
        (API_GATE + "test_a_preflight_needs_no_token_but_the_right_page",),
    ),
    Sabotage(
        "pages of the same site may embed what they like",
        "ggrep/interfaces/surfaces/http_server.py",
        'in {"none", "same-origin"}:',
        'in {"none", "same-origin", "same-site"}:',
        (API_GATE + "test_what_a_page_embeds_is_turned_away",),
    ),
    Sabotage(
        "a body of exactly the most bytes is refused",
        "ggrep/interfaces/surfaces/http_server.py",
        "if len(received) > max_bytes:",
        "if len(received) >= max_bytes:",
        (API_BODIES + "test_the_bounds_of_a_body_are_within_them",),
    ),
    Sabotage(
        "nobody is told of a failure inside",
        "ggrep/interfaces/api/http_messages.py",
        '        if error.code == "internal":\n            told(error)\n',
        "",
        (API_FEDERATED + "test_every_failure_has_one_envelope",),
    ),
    Sabotage(
        "a client that says more has left",
        "ggrep/interfaces/api/http_messages.py",
        '    while (await receive())["type"] != "http.disconnect":\n        pass\n',
        "    await receive()\n",
        (API_LEAVING + "test_a_client_that_says_more_has_not_left",),
    ),
    Sabotage(
        "a client of events that says more has left",
        "ggrep/interfaces/api/http_messages.py",
        '    while (await receive())["type"] != "http.disconnect":\n        pass\n',
        "    await receive()\n",
        (API_EVENTS + "test_a_client_that_says_more_has_not_left",),
    ),
    Sabotage(
        "a body of exactly the deepest nesting is refused",
        "ggrep/interfaces/api/http_messages.py",
        "if len(open_keys) > MAX_DEPTH:",
        "if len(open_keys) >= MAX_DEPTH:",
        (API_BODIES + "test_the_bounds_of_a_body_are_within_them",),
    ),
    Sabotage(
        "a key of a body that is spelled otherwise is another key",
        "ggrep/interfaces/api/http_messages.py",
        "key = stable_json.loads(text)",
        "key = text",
        (API_BODIES + "test_a_body_is_one_json_object_that_says_nothing_twice",),
    ),
    # MCP.
    Sabotage(
        "true is a whole number",
        "ggrep/interfaces/mcp/arguments.py",
        ' and not (kind == "integer" and isinstance(value, bool))',
        "",
        (MCP_ARGUMENTS + "test_a_value_of_another_type_is_refused",),
    ),
    Sabotage(
        "a call that failed keeps its place",
        "ggrep/interfaces/surfaces/callers.py",
        '        try:\n            yield str(seat) if caller else ""\n        finally:\n',
        '        yield str(seat) if caller else ""\n        if True:\n',
        ("tests/surfaces/test_callers.py::test_a_request_that_failed_leaves_its_place",),
    ),
    Sabotage(
        "a registered workspace is known by one spelling alone",
        "ggrep/interfaces/mcp/access.py",
        "if canonical(file) in {canonical(one) for one in files}:",
        "if file in files:",
        (MCP_PLACES + "test_a_registered_workspace_may_be_named_by_its_path",),
    ),
    Sabotage(
        "input that ends without a line end loses its last message",
        "ggrep/interfaces/mcp/stdio.py",
        "            if buffered.strip():\n",
        '            if buffered.endswith(b"\\r"):\n',
        (MCP_LINES + "test_lines_come_one_by_one_however_they_arrive",),
    ),
    Sabotage(
        "hints are for codes in small letters alone",
        "ggrep/interfaces/mcp/tool_calls.py",
        'str(document.get("code")).lower()',
        'str(document.get("code"))',
        (MCP_FAILURES + "test_a_failed_workspace_search_has_the_contracts_envelope",),
    ),
    Sabotage(
        "progress is told in any order",
        "ggrep/interfaces/mcp/progress.py",
        "                await tell(*reading(report))\n",
        "                group.start_soon(tell, *reading(report))\n",
        (MCP_PROGRESS + "test_what_takes_long_to_tell_is_still_told_first",),
    ),
    # The daemon.
    Sabotage(
        "lists of the active snapshot answer for one that went",
        "ggrep/daemon/joint_members.py",
        "if request.snapshot_id not in {None, snapshot_id}:",
        "if not snapshot_id:",
        (DAEMON_POOL_MEMORY + "test_a_caller_who_names_a_snapshot_that_went_gets_nothing",),
    ),
    Sabotage(
        "an index that nobody watches is current",
        "ggrep/daemon/store_daemon.py",
        'looked = syncs.last_result == "ok" and watch.mode == "watching"',
        'looked = syncs.last_result == "ok" and watch.mode != ""',
        (DAEMON_SERVING + "test_an_index_is_current_where_its_tree_is_watched",),
    ),
    Sabotage(
        "a stale daemon says that its index is current",
        "ggrep/daemon/store_daemon.py",
        'return "current" if looked and not self.stale else "unknown"',
        'return "current" if looked else "unknown"',
        (DAEMON_STALE + "test_of_a_stale_daemon_nobody_knows_whether_it_is_current",),
    ),
    Sabotage(
        "an answer that must be the same again holds what is of the moment",
        "ggrep/daemon/queries.py",
        "return stale if deterministic else",
        "return stale if not daemon else",
        (DAEMON_SERVING + "test_an_answer_says_that_its_root_is_polled",),
    ),
    # The domain.
)

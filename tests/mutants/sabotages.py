"""Named sabotages, and the tests that must notice each of them.

A test suite is worth what it notices. Each entry breaks one promise in one place; `run.py` tries
them all. `text` must occur exactly once in its file.
"""

from msgspec import Struct

FIGURES = "tests/query/test_statistics.py::test_figures_are_those_of_the_live_files"
ORDER_ON_DISK = (
    "tests/crash/test_publish.py::test_everything_is_on_disk_before_the_pointer_names_it"
)
NAMES_LAST = "tests/crash/test_power_cut.py::test_no_name_lasts_without_what_it_names"
FEDERATED = "tests/federation/test_coordinator.py::"
UNION = (
    "tests/properties/test_federation_loses_nothing.py"
    "::test_best_hit_is_found_though_no_repository_ranks_it_by_its_own_figures"
)
KIND = "tests/query/test_kinds.py::"
PUBLISH = "tests/crash/test_publish.py::"
LEASE = "tests/test_lease.py::"
COMPACTION = "tests/maintenance/test_compaction.py::"
COLLECTION = "tests/maintenance/test_collection.py::"
REPAIR = "tests/maintenance/test_repair.py::"
BUILDERS = "tests/crash/test_stopped_builders.py::test_who_was_taken_over_"
CACHE = "tests/embedding/test_vector_cache.py::"
UNCHANGED = "tests/sync/test_unchanged.py::"
CLONE = "tests/maintenance/test_clone.py::test_a_clone_shows_the_same_under_its_own_name"
SAME_FILE = (
    "tests/store/test_verify.py::test_what_is_remembered_is_of_one_file_though_clocks_stand_still"
)
MERGE = "tests/sync/test_syncer.py::test_a_merge_keeps_the_visible_rows_and_encodes_nothing"


class Sabotage(Struct, frozen=True):
    """One way to break ggrep.

    Attributes:
        file: below the repository's root.
        tests: node ids; at least one must fail.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]


SABOTAGES = (
    Sabotage(
        "document frequencies of one segment only",
        "ggrep/search/query/own_statistics.py",
        "    for segment in segments:\n",
        "    for segment in segments[:1]:\n",
        (FIGURES,),
    ),
    Sabotage(
        "dead rows are scored and shown",
        "ggrep/index/store/view.py",
        "        if self.visible_files.all():\n",
        "        if len(self.visible_files):\n",
        (FIGURES, "tests/query/test_scores.py::test_filters_narrow"),
    ),
    Sabotage(
        "dead rows kept in document frequencies",
        "ggrep/search/query/own_statistics.py",
        "segment.visible_rows)",
        "segment.visible_rows | True)",
        (FIGURES,),
    ),
    Sabotage(
        "dead rows kept in length totals",
        "ggrep/index/sync/snapshot_assembly.py",
        "found.sum(where=visible, dtype=np.uint64)",
        "found.sum(dtype=np.uint64)",
        (FIGURES,),
    ),
    Sabotage(
        "anchors counted twice",
        "ggrep/index/sync/snapshot_assembly.py",
        "        rows += int(visible.sum())\n",
        "        rows += int(visible.sum()) + int(item.view.image.row_anchors[visible].sum())\n",
        (FIGURES, "tests/query/test_statistics.py::test_anchors_are_counted_once"),
    ),
    Sabotage(
        "ties fall to the order of arrival",
        "ggrep/search/query/order.py",
        "run.sort(key=lambda candidate: _identity(candidate, segments))",
        "run.sort(key=lambda candidate: (candidate.segment, candidate.row))",
        ("tests/query/test_cuts.py::test_equal_scores_fall_to_the_path_whatever_came_first",),
    ),
    Sabotage(
        "tables are not synced",
        "ggrep/index/store/tables.py",
        "    durable.sync_tree(store_files.table_dir(store, segment))\n",
        "",
        (ORDER_ON_DISK,),
    ),
    Sabotage(
        "the move of a snapshot's directory is not synced",
        "ggrep/index/store/transaction.py",
        "    for directory in (staging.parent, home.parent, store):\n",
        "    for directory in (staging.parent, store):\n",
        (ORDER_ON_DISK,),
    ),
    Sabotage(
        "the old name of a moved snapshot may come back",
        "ggrep/index/store/transaction.py",
        "    for directory in (staging.parent, home.parent, store):\n",
        "    for directory in (home.parent, store):\n",
        (ORDER_ON_DISK,),
    ),
    Sabotage(
        "the directory of all snapshots is not synced",
        "ggrep/index/store/transaction.py",
        "    for directory in (staging.parent, home.parent, store):\n",
        "    for directory in (staging.parent, home.parent):\n",
        (NAMES_LAST,),
    ),
    Sabotage(
        "a manifest may last without its journal",
        "ggrep/index/store/transaction.py",
        "    durable.sync_directory(staging)\n",
        "",
        (NAMES_LAST,),
    ),
    Sabotage(
        "a segment's names are not synced",
        "ggrep/index/store/segment.py",
        "    durable.sync_directory(store)\n",
        "",
        (ORDER_ON_DISK,),
    ),
    Sabotage(
        "a new store's parents are not synced",
        "ggrep/base/durable.py",
        "            sync_directory(directory.parent)\n",
        "            pass\n",
        (ORDER_ON_DISK,),
    ),
    Sabotage(
        "the pointer is swapped before the manifest is verified",
        "ggrep/index/store/transaction.py",
        "    verifier = Verifier(store)\n",
        "    swap_active(store, manifest.snapshot_id)\n    verifier = Verifier(store)\n",
        ("tests/crash/test_publish.py::test_what_is_published_was_verified_first",),
    ),
    Sabotage(
        "the lease is not checked before the swap",
        "ggrep/index/store/transaction.py",
        '    with lease.fenced():\n        reach("publish.before_swap")\n',
        '    if lease:\n        reach("publish.before_swap")\n',
        (PUBLISH + "test_a_lease_that_is_lost_at_the_last_moment_publishes_nothing",),
    ),
    Sabotage(
        "epochs start anew",
        "ggrep/base/lease.py",
        "epoch = (before.lease_epoch if before else last_epoch()) + 1",
        "epoch = 1",
        ("tests/test_lease.py::test_epochs_only_grow",),
    ),
    Sabotage(
        "a file's evidence comes from the rows that may be shown",
        "ggrep/search/query/pipeline.py",
        "scorer.score(segment, deadline, rows)",
        "scorer.score(__import__('msgspec').structs.replace(segment, visible_rows="
        "eligible_rows(segment, request, deadline), visible_files=~segment.visible_files), "
        "deadline, rows)",
        (
            "tests/query/test_scores.py::"
            "test_the_file_of_a_hit_speaks_for_it_whatever_is_filtered_away",
        ),
    ),
    Sabotage(
        "a merge keeps dead rows",
        "ggrep/index/sync/segment_merging.py",
        "    visible = np.flatnonzero(segment.visible_files).tolist()\n",
        "    visible = list(range(image.files))\n",
        (MERGE,),
    ),
    Sabotage(
        "carried files lose their vectors",
        "ggrep/index/sync/segment_merging.py",
        "vectors=None if vectors is None else (vectors[start:end], image.scales[start:end]),",
        "vectors=None if vectors is None else None,",
        (MERGE,),
    ),
    Sabotage(
        "tombstones dropped",
        "ggrep/index/sync/publication.py",
        "tombstones=tuple(_tombstones(publication, carried, view)),",
        "tombstones=(),",
        ("tests/sync/test_syncer.py::test_tombstones_and_map_tell_what_happened",),
    ),
    Sabotage(
        "replaced and deleted files stay visible",
        "ggrep/index/sync/publication.py",
        "    mask[segment.image.find_all(hidden)] = False\n",
        "    mask[segment.image.find_all(hidden)] = True\n",
        ("tests/sync/test_syncer.py::test_everything_can_go_and_come_back",),
    ),
    Sabotage(
        "the stat cache trusts files that were just written",
        "ggrep/index/sync/stat_cache.py",
        "        if max(item.file.mtime_ns, item.file.ctime_ns) + RACY_NS < read_at_ns\n",
        "",
        ("tests/sync/test_stat_cache.py::test_a_file_that_was_just_written_is_not_remembered",),
    ),
    Sabotage(
        "a failure of the moment takes files away",
        "ggrep/index/sync/indexing.py",
        '_HARD = frozenset({"unstable", "read_failed"})',
        '_HARD = frozenset({"unstable"})',
        ("tests/sync/test_doubts.py::test_a_read_that_fails_for_the_moment_deletes_nothing",),
    ),
    Sabotage(
        "a root that went is an empty one",
        "ggrep/index/sync/syncer.py",
        "        if root_identity(self._target.root) != tree.root:\n",
        "        if root_identity(self._target.root) == ():\n",
        ("tests/sync/test_doubts.py::test_a_root_that_goes_meanwhile_publishes_nothing",),
    ),
    Sabotage(
        "a file that no parser had time for is cut by lines",
        "ggrep/parse/workers/parse_pool.py",
        "        except (WorkerTimeout, WorkerLost):\n            return None\n",
        "        except (WorkerTimeout, WorkerLost):\n"
        '            return self._fallback(file, "late")\n',
        ("tests/workers/test_parse_pool.py::test_a_file_that_no_worker_had_time_for_is_put_off",),
    ),
    Sabotage(
        "what was put off is tried by every sync",
        "ggrep/index/sync/unchanged.py",
        "    if retry_after_ms == 0:\n",
        "    if retry_after_ms is not None:\n",
        ("tests/sync/test_put_off.py::test_a_degraded_tree_is_walked_only_when_a_try_is_due",),
    ),
    Sabotage(
        "without git an index is rewritten by other rules",
        "ggrep/index/sync/without_git.py",
        "    if tree.git or not tree.notices or before is None:\n",
        "    if tree.git or not tree.git:\n",
        (
            "tests/sync/test_doubts.py"
            "::test_while_git_fails_an_index_made_with_it_keeps_its_list_of_files",
        ),
    ),
    Sabotage(
        "a strict sync publishes what it could not have whole",
        "ggrep/index/sync/syncer.py",
        "        if not self._strict:\n            return\n",
        "        if self._strict:\n            return\n",
        ("tests/sync/test_publishing.py::test_each_bad_file_costs_itself_and_heals",),
    ),
    Sabotage(
        "twins are refused unasked",
        "ggrep/index/sync/syncer.py",
        "        if self._target.settings.portable_paths:\n",
        "        if not self._target.settings.portable_paths:\n",
        ("tests/sync/test_case_twins.py::test_each_twin_is_found_by_every_kind_of_question",),
    ),
    Sabotage(
        "why a sync failed is not written down",
        "ggrep/index/sync/record.py",
        'last_result="error", last_error=told',
        'last_result="ok", last_error=told',
        ("tests/sync/test_outcomes.py::test_every_answer_says_why_the_last_sync_failed",),
    ),
    Sabotage(
        "a commit does not move the snapshot",
        "ggrep/index/sync/snapshot_assembly.py",
        "    git: GitState | None\n    problems",
        "    git: GitState | None = field(compare=False)\n    problems",
        ("tests/sync/test_doubts.py::test_a_commit_alone_moves_the_snapshot",),
    ),
    Sabotage(
        "a cut is not said",
        "ggrep/search/query/quota_choice.py",
        '    return Chosen(found.dealt, (LimitHit("max_candidates", most, found.largest),))\n',
        "    return Chosen(found.dealt, ())\n",
        ("tests/query/test_cuts.py::test_a_bound_that_may_have_changed_the_answer_is_said",),
    ),
    Sabotage(
        "rows behind the first look are forgotten",
        "ggrep/search/query/quota_choice.py",
        "    return _went_past_a_cut(found, dealt)\n",
        "    return False\n",
        ("tests/query/test_cuts.py::test_rows_behind_many_of_one_file_are_found",),
    ),
    Sabotage(
        "byte caps are not said",
        "ggrep/search/query/snippets.py",
        '        limits.append(LimitHit("max_total_snippet_bytes", total, wanted))\n',
        "        limits.clear()\n",
        ("tests/query/test_snippets.py::test_byte_caps_are_said",),
    ),
    Sabotage(
        "a link in a path is followed out of the root",
        "ggrep/config/confined.py",
        "_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC",
        "_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC",
        ("tests/source/test_read.py",),
    ),
    Sabotage(
        "escape sequences kept",
        "ggrep/model/sanitise.py",
        '_CONTROLS.sub("", _SEQUENCES.sub("", text))',
        "text",
        (
            "tests/domain/test_sanitise.py",
            "tests/query/test_snippets.py::test_escape_sequences_do_not_reach_a_snippet",
        ),
    ),
    Sabotage(
        "the limit per file is ignored",
        "ggrep/model/corpus.py",
        "if self.per_file and self._taken[file] >= self.per_file:",
        "if False:",
        ("tests/query/test_cuts.py::test_no_file_takes_more_than_its_share",),
    ),
    Sabotage(
        "dot products come in another order",
        "ggrep/index/embedding/quantise.py",
        "simsimd.dot(vectors, query)",
        "simsimd.dot(vectors[::-1].copy(), query)",
        ("tests/embedding/test_quantise.py",),
    ),
    Sabotage(
        "dot products are rounded",
        "ggrep/index/embedding/quantise.py",
        "= block @ wide\n",
        "= (block * np.float32(0.1)) @ wide * 10.0\n",
        ("tests/embedding/test_quantise.py",),
    ),
    Sabotage(
        "terms of equal digests are one",
        "ggrep/index/lexical/postings.py",
        "            if self.term_bytes[start:end].tobytes() == wanted:\n",
        "            if end >= start:\n",
        ("tests/lexical/test_postings.py::test_colliding_digests_cost_a_probe_and_no_wrong_row",),
    ),
    Sabotage(
        "a degraded snapshot says nothing",
        "ggrep/search/query/context.py",
        "    if manifest.degraded:\n",
        "    if manifest.degraded and not manifest.errors:\n",
        ("tests/sync/test_syncer.py::test_a_file_whose_parser_hangs_degrades_the_snapshot",),
    ),
    Sabotage(
        "an index that is still being built says nothing",
        "ggrep/search/query/context.py",
        "    if manifest.partial:\n",
        "    if manifest.partial and manifest.errors:\n",
        ("tests/sync/test_syncer.py::test_a_large_first_index_is_published_in_portions",),
    ),
    Sabotage(
        "an older snapshot stands in without a word",
        "ggrep/index/store/judging.py",
        "        return Judgement(manifest, replace(view, damage=damage), damage)\n",
        "        return Judgement(manifest, view, None)\n",
        ("tests/store/test_verify.py::test_a_flipped_bit_makes_the_older_snapshot_stand_in",),
    ),
    Sabotage(
        "a store that fell back is never healed",
        "ggrep/index/sync/publication.py",
        "    if view is None or view.damage:\n",
        "    if view is None:\n",
        ("tests/store/test_verify.py::test_a_sync_heals_a_store_that_fell_back",),
    ),
    Sabotage(
        "visibility is not verified",
        "ggrep/index/store/verify.py",
        "        self._derived(manifest.visibility, mend)\n",
        "        assert mend\n",
        ("tests/store/test_verify.py::test_masks_that_can_be_read_are_verified_all_the_same",),
    ),
    Sabotage(
        "no deadline in scoring",
        "ggrep/base/clock.py",
        "        if self.clock.monotonic_ms() >= self.at_ms:\n",
        "        if self.clock.monotonic_ms() < 0.0:\n",
        ("tests/query/test_scores.py::test_work_stops_at_the_deadline",),
    ),
    Sabotage(
        "every repository scores by its own figures",
        "ggrep/federation/fanout_session.py",
        "            statistics=total,\n",
        "            statistics=None,\n",
        (FEDERATED + "test_global_scores_by_the_sum_of_all_figures", UNION),
    ),
    Sabotage(
        "priority does not break ties of equal ranks",
        "ggrep/federation/merge.py",
        "    return -priority, merged.repo_id, hit.row_id, ",
        "    return 0, merged.repo_id, hit.row_id, ",
        ("tests/federation/test_merge.py::test_equal_ranks_fall_to_priority_before_repo_id",),
    ),
    Sabotage(
        "equal ranks and priorities fall to arrival",
        "ggrep/federation/merge.py",
        "merged.repo_id, hit.row_id, hit.path.encode(), hit.start_line, place\n",
        "'', hit.row_id, hit.path.encode(), hit.start_line, place\n",
        (
            "tests/federation/test_merge.py::test_equal_priorities_fall_to_repo_id",
            "tests/federation/test_merge.py::test_the_order_of_arrival_never_shows",
        ),
    ),
    Sabotage(
        "a repository beyond its top takes places in the merge",
        "ggrep/federation/merge.py",
        "        for rank in range(min(per_repo_top, len(ranked.hits)))\n    ]\n    keyed",
        "        for rank in range(len(ranked.hits))\n    ]\n    keyed",
        ("tests/federation/test_merge.py::test_lists_are_cut_before_the_merge",),
    ),
    Sabotage(
        "files of equal paths in two repositories count as one",
        "ggrep/federation/merge.py",
        "file=lambda merged: (merged.repo_id, merged.hit.path)",
        "file=lambda merged: merged.hit.path",
        (
            "tests/federation/test_merging.py"
            "::test_files_of_one_name_in_two_repositories_are_two_files",
        ),
    ),
    Sabotage(
        "explicit selection narrows",
        "ggrep/federation/selection.py",
        "    chosen = chosen.union(*named.values())\n",
        "    chosen = set().union(*named.values()) or chosen\n",
        ("tests/federation/test_selection.py::test_select_adds_and_never_narrows",),
    ),
    Sabotage(
        "every row counts as the best of its file",
        "ggrep/search/query/blend.py",
        "further: Scores = (total < best).astype(np.float64) * factor",
        "further: Scores = (total < best).astype(np.float64)",
        (
            "tests/properties/test_score_belongs_to_its_hit.py"
            "::test_the_best_row_of_a_file_counts_where_a_filter_hides_it",
        ),
    ),
    Sabotage(
        "a pasted message counts for nothing",
        "ggrep/search/query/score.py",
        "np.isin(rows, verbatim).astype(np.float64)",
        "np.zeros(len(rows))",
        (KIND + "test_a_pasted_message_leads_to_where_it_stands",),
    ),
    Sabotage(
        "the line behind a path means nothing",
        "ggrep/search/query/query_paths.py",
        "    if not line:\n",
        "    if line >= 0:\n",
        (KIND + "test_the_line_behind_a_path_leads_to_the_chunk_that_holds_it",),
    ),
    Sabotage(
        "every answer is trusted",
        "ggrep/model/confidence.py",
        "    if logit >= _STRONG:\n",
        "    if logit >= -99.0:\n",
        ("tests/query/test_confidence.py::test_what_is_not_there_is_not_answered_with_noise",),
    ),
    Sabotage(
        "a phrase is its words in any order",
        "ggrep/search/query/phrases.py",
        "            held[place] = all(_holds(plain, phrase) for phrase in phrases)\n",
        "            held[place] = bool(plain or phrases)\n",
        (KIND + "test_a_phrase_stands_word_for_word_in_what_is_shown",),
    ),
    Sabotage(
        "a spelling counts as much as a word",
        "ggrep/search/query/score.py",
        "spelling = self._weights.spelling if term in self._query.spellings else 1.0",
        "spelling = 1.0",
        (KIND + "test_a_second_word_counts_for_more_than_the_first_ones_spelling",),
    ),
    Sabotage(
        "paths in queries lead nowhere",
        "ggrep/search/query/score.py",
        "location = location_shares(segment, self._query.places) if self._query.places else None",
        "location = None",
        (KIND + "test_a_path_leads_to_its_file",),
    ),
    Sabotage(
        "what documents a definition does not count",
        "ggrep/search/query/weights.py",
        "        FieldWeights(1.0, 0.5),\n    )\n",
        "        FieldWeights(0.0, 0.5),\n    )\n",
        (KIND + "test_a_word_that_documents_counts_for_more_than_one_in_passing",),
    ),
    Sabotage(
        "all kinds of queries are weighed alike",
        "ggrep/search/query/weights.py",
        "    if not base.kinds:\n",
        "    if base.kinds:\n",
        (KIND + "test_a_lone_name_weighs_its_definition_twice",),
    ),
    Sabotage(
        "tests stay behind when tests are asked for",
        "ggrep/search/query/score.py",
        "factor = 1.0 if self._query.wants_tests else factor",
        "factor = factor * 1.0",
        (KIND + "test_tests_are_put_behind_unless_they_are_asked_for",),
    ),
    Sabotage(
        "the end of a long query goes without a word",
        "ggrep/search/query/understand.py",
        "    if len(query) > MAX_QUERY_CHARACTERS:\n",
        "    if len(query) < 0:\n",
        (
            "tests/query/test_understand.py"
            "::test_a_query_past_the_bound_is_cut_between_words_and_said",
        ),
    ),
    Sabotage(
        "a pattern tries every split of a run of blanks",
        "ggrep/search/query/kinds.py",
        r"\s*(?:[:=]\s*)?-?\d",
        r"\s*[:=]?\s*-?\d",
        (
            "tests/query/test_adversarial.py"
            "::test_twice_the_text_is_twice_the_work[ggrep.search.query.kinds._ERROR]",
        ),
    ),
    Sabotage(
        "a silent writer is never taken over",
        "ggrep/base/lease.py",
        "        return self.clock.monotonic_ms() - record.heartbeat_ms <= record.lease_ttl_ms\n",
        "        return True\n",
        (LEASE + "test_a_writer_that_was_not_heard_of_is_taken_over_and_notices",),
    ),
    Sabotage(
        "a writer that beats is taken over",
        "ggrep/base/lease.py",
        "        return self.clock.monotonic_ms() - record.heartbeat_ms <= record.lease_ttl_ms\n",
        "        return False\n",
        (LEASE + "test_a_heartbeat_keeps_a_long_sync_going",),
    ),
    Sabotage(
        "a heartbeat leaves the record as old as it was",
        "ggrep/base/lease.py",
        "                heartbeat_ms=round(self._clock.monotonic_ms()),\n",
        "",
        (LEASE + "test_a_heartbeat_keeps_a_long_sync_going",),
    ),
    Sabotage(
        "a dead writer is waited for",
        "ggrep/base/lease.py",
        "        if record.released or not _lives(record, self.files):\n",
        "        if record.released:\n",
        (LEASE + "test_a_dead_writer_is_followed_at_once",),
    ),
    Sabotage(
        "a writer of before the restart may live",
        "ggrep/base/lease.py",
        "    if record.boot_id != linux.boot_id():\n",
        "    if not record.boot_id:\n",
        (LEASE + "test_a_writer_of_before_the_restart_is_dead",),
    ),
    Sabotage(
        "the time to live is told by the date",
        "ggrep/base/lease.py",
        "        return self.clock.monotonic_ms() - record.heartbeat_ms <= record.lease_ttl_ms\n",
        "        beat = "
        "__import__('datetime').datetime.fromisoformat(record.last_heartbeat_at)\n"
        "        age = (self.clock.now() - beat).total_seconds()\n"
        "        return age * 1000 <= record.lease_ttl_ms\n",
        (LEASE + "test_a_clock_that_jumps_ends_no_lease",),
    ),
    Sabotage(
        "a writer locks no byte",
        "ggrep/base/linux.py",
        "        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)\n",
        "        assert wanted\n",
        (
            "tests/test_locks.py::test_bytes_of_one_file_are_held_apart",
            LEASE + "test_a_second_writer_waits_and_then_gives_up",
        ),
    ),
    Sabotage(
        "a release writes a lower epoch",
        "ggrep/base/lease.py",
        "staging_txn_id=None, released=True)",
        "staging_txn_id=None, released=True, lease_epoch=self.epoch - 1)",
        (LEASE + "test_epochs_only_grow",),
    ),
    Sabotage(
        "who waits keeps no place",
        "ggrep/base/lease.py",
        "            with in_line(files.writer_queue, patience, clock, ttl_ms=ttl_ms)"
        " as patient:\n",
        "            for patient in [patience]:\n",
        (LEASE + "test_who_waits_comes_before_who_lets_go_and_returns",),
    ),
    Sabotage(
        "the lease is checked and the pointer swapped outside the guard",
        "ggrep/index/store/transaction.py",
        '    with lease.fenced():\n        reach("publish.before_swap")\n',
        '    lease.check()\n    if lease:\n        reach("publish.before_swap")\n',
        (PUBLISH + "test_the_pointer_is_swapped_under_the_guard",),
    ),
    Sabotage(
        "who enters the guard need not hold the lease",
        "ggrep/base/lease.py",
        "            self._own_record()\n            yield\n",
        "            yield\n",
        (LEASE + "test_a_writer_that_was_not_heard_of_is_taken_over_and_notices",),
    ),
    Sabotage(
        "a compaction filters by tombstones",
        "ggrep/index/maintenance/compaction.py",
        "[file in live for file in held]",
        "[file[0] not in __import__('ggrep.index.store.journal', "
        "fromlist=['journal']).read_tombstones(view.store, "
        "view.manifest.tombstones) for file in held]",
        (COMPACTION + "test_answers_are_the_same_before_and_after",),
    ),
    Sabotage(
        "a rebased compaction ignores the newer snapshot",
        "ggrep/index/maintenance/compaction.py",
        "[file in live for file in held]",
        "[True for _ in held]",
        (COMPACTION + "test_changes_made_while_it_builds_are_kept",),
    ),
    Sabotage(
        "a compaction keeps the old tombstones",
        "ggrep/index/maintenance/compaction.py",
        "            additions=None,\n",
        "            additions=__import__('ggrep.index.sync.snapshot_assembly', "
        "fromlist=['a']).Additions((), {}),\n",
        (COMPACTION + "test_answers_are_the_same_before_and_after",),
    ),
    Sabotage(
        "a compaction that was overtaken is published all the same",
        "ggrep/index/maintenance/compaction.py",
        "    if shown < _WORTH * sum(item.ref.files for item in fresh):\n",
        "    if shown < 0:\n",
        (COMPACTION + "test_a_merge_that_everything_overtook_is_dropped",),
    ),
    Sabotage(
        "the active snapshot is collected",
        "ggrep/index/maintenance/collection.py",
        "        if snapshot_id == active or snapshot_id in self.pins:\n",
        "        if snapshot_id in self.pins:\n",
        (COLLECTION + "test_the_active_snapshot_stays_however_old",),
    ),
    Sabotage(
        "a pinned snapshot is collected",
        "ggrep/index/maintenance/collection.py",
        "        if snapshot_id == active or snapshot_id in self.pins:\n",
        "        if snapshot_id == active:\n",
        (COLLECTION + "test_a_pinned_snapshot_stays",),
    ),
    Sabotage(
        "a young snapshot is collected",
        "ggrep/index/maintenance/collection.py",
        "        return (self.now - created).total_seconds() * 1000 < young_ms(settings)\n",
        "        return self.now < created\n",
        (COLLECTION + "test_young_snapshots_stay",),
    ),
    Sabotage(
        "journal files go with the snapshot that brought them",
        "ggrep/index/store/needed_files.py",
        "    return (*images, *manifest.tombstones, *manifest.segment_map, manifest.visibility)\n",
        "    return (*images, manifest.visibility)\n",
        (COLLECTION + "test_journal_files_stay_while_a_snapshot_names_them_and_go_then",),
    ),
    Sabotage(
        "a query is collected under",
        "ggrep/index/maintenance/collection.py",
        "    with alone(store_files.readers_lock(store), readers), lease.fenced():\n",
        "    with lease.fenced():\n",
        (COLLECTION + "test_a_query_is_not_collected_under",),
    ),
    Sabotage(
        "images of dead segments stay",
        "ggrep/index/store/needed_files.py",
        "            path for path in (*tables, *entries(store_files.images_dir(store)))"
        " if path not in kept\n",
        "            path for path in tables if path not in kept\n",
        (COLLECTION + "test_what_dead_writers_left_goes",),
    ),
    Sabotage(
        "a repair goes on from what it has not hashed",
        "ggrep/index/maintenance/repair.py",
        "    verifier.manifest(manifest, store_id=target.store_id)\n",
        "",
        (REPAIR + "test_only_the_files_of_a_lost_segment_are_read_again",),
    ),
    Sabotage(
        "damaged masks are believed",
        "ggrep/index/store/salvage.py",
        "        verifier.file(manifest.visibility)\n",
        "",
        (REPAIR + "test_masks_that_are_not_those_published_are_not_believed",),
    ),
    Sabotage(
        "an entry of the vector cache is not held to its digest",
        "ggrep/index/embedding/vector_cache.py",
        "        if entry != self._sealed(by_key[key], entry[_DIGEST_BYTES:]):\n",
        "        if not entry:\n",
        (CACHE + "test_two_hashes_of_one_key_are_told_apart",),
    ),
    Sabotage(
        "a cached vector may have any length",
        "ggrep/index/embedding/vector_cache.py",
        "        if len(entry) != self._entry_bytes:\n",
        "        if not entry:\n",
        (CACHE + "test_another_dimension_is_a_miss",),
    ),
    Sabotage(
        "git's index is not compared",
        "ggrep/index/sync/unchanged.py",
        "(git_files | stamps(store_files)).items()",
        "stamps(store_files).items()",
        (UNCHANGED + "test_whatever_changes_makes_for_a_walk[edited and added]",),
    ),
    Sabotage(
        "ignore files are not compared",
        "ggrep/index/sync/unchanged_record.py",
        "        found[key] = stamp(target.root / key)\n",
        "",
        (UNCHANGED + "test_an_ignore_file_that_git_ignores_is_compared_by_us",),
    ),
    Sabotage(
        "untracked files are not compared",
        "ggrep/index/sync/unchanged.py",
        "        and digest(untracked) == record.others\n",
        "",
        (UNCHANGED + "test_whatever_changes_makes_for_a_walk[new in an empty directory]",),
    ),
    Sabotage(
        "files beside the walk are not compared",
        "ggrep/index/sync/unchanged.py",
        "        and _beside(target, record, told, untracked) == record.beside\n",
        "",
        (UNCHANGED + "test_names_of_files_that_are_not_indexed_stay_out_of_the_record",),
    ),
    Sabotage(
        "names of a foreign index are written down",
        "ggrep/index/sync/unchanged_record.py",
        "        if name in known:\n            found[name] = stamp_of(known[name].file)\n",
        "        found[name] = stamp_of(known[name].file) if name in known else "
        "stamp(target.root / name)\n",
        (UNCHANGED + "test_names_of_files_that_are_not_indexed_stay_out_of_the_record",),
    ),
    Sabotage(
        "git is believed about paths that lead out",
        "ggrep/index/sync/unchanged.py",
        '{b"", b".", b".."} &',
        "set() &",
        (UNCHANGED + "test_a_name_that_leads_out_is_not_looked_at",),
    ),
    Sabotage(
        "a directory that became a link is listed",
        "ggrep/parse/source/dir_stack.py",
        "_BELOW = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC\n",
        "_BELOW = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC\n",
        (
            "tests/source/test_walk.py::test_a_directory_that_became_a_link_before_it_was_listed_is_gone",
        ),
    ),
    Sabotage(
        "a deep tree takes all descriptors",
        "ggrep/parse/source/dir_stack.py",
        "            if len(self._held) > _MOST_HELD:\n",
        "            if len(self._held) < 0:\n",
        ("tests/source/test_trail.py::test_depth_costs_few_descriptors",),
    ),
    Sabotage(
        "files get what the umask leaves",
        "ggrep/base/durable.py",
        "        os.fchmod(descriptor, mode)\n        yield descriptor\n",
        "        yield descriptor\n",
        ("tests/test_modes.py::test_files_and_directories_take_after_their_directory",),
    ),
    Sabotage(
        "tables get what the umask leaves",
        "ggrep/base/durable.py",
        "            os.fchmod(descriptor, mode)\n        os.fsync(descriptor)\n",
        "            assert mode\n        os.fsync(descriptor)\n",
        ("tests/test_modes.py::test_what_somebody_else_wrote_is_put_right",),
    ),
    Sabotage(
        "network mounts are accepted",
        "ggrep/index/store/filesystem.py",
        "    found = kind if kind in NETWORK_TYPES else NETWORK_MAGICS.get(magic)\n",
        "    found = NETWORK_MAGICS.get(magic)\n",
        ("tests/store/test_filesystem.py::test_network_file_systems_are_refused",),
    ),
    Sabotage(
        "a network file system without a name is accepted",
        "ggrep/index/store/filesystem.py",
        "    found = kind if kind in NETWORK_TYPES else NETWORK_MAGICS.get(magic)\n",
        "    found = kind if kind in NETWORK_TYPES else None\n",
        ("tests/store/test_filesystem.py::test_the_kernels_number_is_enough",),
    ),
    Sabotage(
        "a clone's manifest names its source",
        "ggrep/index/maintenance/clone.py",
        "        store_id=store_id,\n        lease_epoch",
        "        lease_epoch",
        (CLONE,),
    ),
    Sabotage(
        "a clone's record names its source",
        "ggrep/index/maintenance/clone.py",
        "replace(state, store_id=manifest.store_id, canonical_root=manifest.canonical_root)",
        "state",
        (CLONE,),
    ),
    Sabotage(
        "a reset swaps the pointer before it verifies",
        "ggrep/index/sync/rebuild.py",
        "    publish(store, manifest, lease)\n",
        "    __import__('ggrep.index.store.active', fromlist=['a']).swap_active(store, "
        "manifest.snapshot_id)\n"
        "    publish(store, manifest, lease)\n",
        ("tests/sync/test_rebuild.py::test_what_a_reset_took_over_is_verified_before_it_is_shown",),
    ),
    Sabotage(
        "what was verified is known whatever its size",
        "ggrep/index/store/verify.py",
        "{path.name} {stat.st_size} {times}",
        "{path.name} {times}",
        (SAME_FILE,),
    ),
    Sabotage(
        "what was verified is known whatever its inode",
        "ggrep/index/store/verify.py",
        "{times} {stat.st_ino}",
        "{times}",
        (SAME_FILE,),
    ),
    Sabotage(
        "what was verified is known whenever it was written",
        "ggrep/index/store/verify.py",
        "{stat.st_size} {times} {stat.st_ino}",
        "{stat.st_size} {stat.st_ino}",
        ("tests/store/test_verify.py::test_a_flipped_bit_makes_the_older_snapshot_stand_in",),
    ),
    Sabotage(
        "what is built beside a store has one name for all writers",
        "ggrep/config/store_files.py",
        '    return store.with_name(f".{kind}-{store.name}~{epoch}")\n',
        '    return store.with_name(f".{kind}-{store.name}~{epoch and 0}")\n',
        (BUILDERS + "leaves_what_its_successor_puts_together",),
    ),
    Sabotage(
        "who was taken over sweeps all the same",
        "ggrep/index/store/remains.py",
        "    with lease.fenced():\n",
        "    with suppress(FileNotFoundError):\n",
        ("tests/store/test_remains.py::test_who_was_taken_over_sweeps_nothing",),
    ),
    Sabotage(
        "a stopped rebuild writes its memory over its successor's",
        "ggrep/index/sync/rebuild.py",
        "    with suppress(Busy, LeaseLost), lease.fenced():\n",
        "    with suppress(Busy, LeaseLost):\n",
        (BUILDERS + "after_its_swap_leaves_the_memory_of_its_successor",),
    ),
    Sabotage(
        "damage is not remembered",
        "ggrep/index/store/verify.py",
        "        if known not in {artifact.sound, artifact.damaged}:\n",
        "        if known != artifact.sound:\n",
        (
            "tests/store/test_verify.py"
            "::test_a_damaged_table_is_hashed_once_for_all_snapshots_and_queries",
        ),
    ),
    Sabotage(
        "what a reset linked is hashed again",
        "ggrep/index/sync/rebuild.py",
        "        reverify(target.store, manifest)",
        "        assert reverify",
        ("tests/sync/test_rebuild.py::test_a_query_after_a_reset_hashes_nothing",),
    ),
    Sabotage(
        "a clone keeps the root of its source",
        "ggrep/index/sync/publication.py",
        "        or manifest.canonical_root != str(root)\n",
        "        or not root\n",
        (
            "tests/maintenance/test_clone.py"
            "::test_a_clone_for_another_root_names_it_once_that_was_synced",
        ),
    ),
    Sabotage(
        "a directory goes though a journal in it is needed",
        "ggrep/index/store/needed_files.py",
        "        if len(going) == len(files):\n",
        "        if going:\n",
        (
            "tests/store/test_contents.py"
            "::test_of_a_snapshot_whose_journal_is_needed_only_the_rest_is_unnamed",
        ),
    ),
)

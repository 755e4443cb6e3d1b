"""Sabotages of slates, their sessions and profiles, of how they are measured, and of navigation.

By the ids of `docs/requirements.md`. See `sabotages.py`.
"""

from tests.mutants.sabotages import Sabotage

ARGUMENTS = "tests/mcp/test_arguments.py::"
BUDGET = "tests/sync/test_dataset_budget.py::"
CALLS = "tests/mcp/test_tool_calls.py::"
COMBINE = "tests/slate/test_combine.py::"
COMPANIONS = "tests/slate/test_related_files.py::"
CONFIDENCE = "tests/domain/test_confidence.py::"
DUPLICATES = "tests/slate/test_duplicates.py::"
EXPANDING = "tests/navigation/test_expanding.py::"
FIGURES = "tests/training/slates/test_figures.py::"
FINDING = "tests/query/test_finding.py::"
FINGERPRINTS = "tests/config/test_fingerprints.py::"
GATHERING = "tests/slate/test_file_candidates.py::"
GRAPH = "tests/slate/test_graph.py::"
INCLUSION = "tests/source/test_inclusion.py::"
KNOBS = "tests/engine/test_slate_knobs.py::"
LEVELS = "tests/slate/test_levels.py::"
LITERAL = "tests/query/test_literal.py::"
RUNS = "tests/query/test_text_runs.py::"
TEXT_FIRST = "tests/navigation/test_text_first.py::"
NAMES = "tests/navigation/test_name_answers.py::"
PACKING = "tests/slate/test_packing.py::"
PINNED = "tests/maintenance/test_pinned_snapshots.py::"
PROFILES = "tests/config/test_profile_settings.py::"
RECEIPTS = "tests/engine/test_receipts.py::"
SELECTION = "tests/slate/test_selection.py::"
SESSIONS = "tests/slate/test_sessions.py::"
READING = "tests/engine/test_slate_reading.py::"
WORKSPACE_SESSIONS = "tests/federation/test_sessions_of_real_repositories.py::"
SLATING = "tests/engine/test_slating.py::"
TOKENS = "tests/slate/test_tokens.py::"
TOOLS = "tests/mcp/test_tools.py::"
UNCOMMENTED = "tests/slate/test_uncommented.py::"
WORKSPACES = "tests/federation/test_slating.py::"

SLATE_SABOTAGES = (
    # USE.MUST.001: paths first, text by degrees.
    Sabotage(
        "the least level shows what files hold",
        "ggrep/search/slate/document.py",
        "    if level == 0:\n",
        "    if level < 0:\n",
        (SLATING + "test_the_least_level_shows_paths_alone",),
    ),
    Sabotage(
        "the usual level shows what is written above definitions",
        "ggrep/search/slate/levels.py",
        "comments=level >= _DEEP,",
        "comments=level >= 0,",
        (LEVELS + "test_each_level_shows_more_than_the_one_below",),
    ),
    Sabotage(
        "what uses the best code waits for what merely matches",
        "ggrep/search/slate/packing.py",
        "piece.score * (1.0 + _USES * piece.mention)",
        "piece.score",
        (
            PACKING
            + "test_what_uses_what_the_best_code_defines_is_shown_before_what_merely_matches",
        ),
    ),
    Sabotage(
        "lines of several repositories are dealt by scores that do not compare",
        "ggrep/search/slate/combine.py",
        "replace(_share(pack, best), evidence=evidence)",
        "_share(pack, best)",
        (COMBINE + "test_lines_are_dealt_by_shares_where_scores_do_not_compare",),
    ),
    Sabotage(
        "lines of all files are worth the same to readers",
        "ggrep/search/slate/packing.py",
        "_OF_SECTION.get(section, 1.0) * factor * _FURTHER**further",
        "_OF_SECTION.get(section, 1.0) * _FURTHER**further",
        (PACKING + "test_the_learned_factor_decides_whose_lines_are_shown_and_no_order_of_files",),
    ),
    Sabotage(
        "strings of several lines are left out as comments are",
        "ggrep/search/slate/source_text.py",
        "    return not before.strip() and not behind.strip()\n",
        "    return True\n",
        (UNCOMMENTED + "test_a_docstring_is_a_comment_and_a_string_of_several_lines_is_none",),
    ),
    # USE.MUST.002: packs of a file and its evidence.
    Sabotage(
        "near copies are shown beside each other",
        "ggrep/search/slate/duplicates.py",
        "return common >= _ALIKE * (small + large - common)",
        "return self.words == other.words",
        (DUPLICATES + "test_a_near_copy_is_one",),
    ),
    Sabotage(
        "parts of one definition stay apart",
        "ggrep/search/slate/duplicates.py",
        "second.start_line <= first.end_line + 1",
        "second.start_line <= first.end_line - 1",
        (DUPLICATES + "test_parts_of_one_definition_that_follow_each_other_are_one_piece",),
    ),
    Sabotage(
        "places of copies are not told",
        "ggrep/search/slate/duplicates.py",
        "also[original.file, original.place].append(where)",
        "also[original.file, original.place].clear()",
        (SLATING + "test_copies_are_told_and_not_shown",),
    ),
    Sabotage(
        "hints lead to the worst match",
        "ggrep/search/slate/overview.py",
        "code.sort(key=lambda pack: (-pack.score, pack.repo, pack.path))",
        "code.sort(key=lambda pack: (pack.score, pack.repo, pack.path))",
        ("tests/slate/test_overview.py::test_the_best_code_is_where_to_go_on",),
    ),
    # USE.MUST.003: confidence.
    Sabotage(
        "a slate is as long whatever its confidence",
        "ggrep/search/slate/slate_answers.py",
        "files_shown(len(picks), confidence, keep_weak=keep_weak)",
        "files_shown(len(picks), confidence, keep_weak=True)",
        (KNOBS + "test_an_answer_that_fits_nothing_shows_none_of_what_matches",),
    ),
    Sabotage(
        "doubtful files are not shown though they are asked for",
        "ggrep/search/slate/slate_answers.py",
        "keep_weak = named or request.search.keep_weak",
        "keep_weak = named",
        (SLATING + "test_doubtful_files_are_shown_on_request",),
    ),
    Sabotage(
        "a doubtful slate does not say so",
        "ggrep/search/slate/slate_answers.py",
        "*confidence_notices(confidence)",
        "*confidence_notices(Confidence.STRONG)",
        (SLATING + "test_a_question_about_something_else_has_an_empty_slate",),
    ),
    Sabotage(
        "a weak list is not shortened",
        "ggrep/model/confidence.py",
        "kept = sorted({*places[:_WEAK_HITS], *first.values()})",
        "kept = places",
        (CONFIDENCE + "test_a_weak_list_is_shortened_and_the_cut_is_said",),
    ),
    Sabotage(
        "a slate over a workspace is as long whatever its confidence",
        "ggrep/search/slate/combine.py",
        "how.confidence, keep_weak=how.keep_weak or how.named)",
        "how.confidence, keep_weak=True)",
        (COMBINE + "test_a_doubtful_answer_shows_fewer_files",),
    ),
    # USE.MUST.004: budgets in bytes.
    Sabotage(
        "the bytes of a slate have no bound",
        "ggrep/search/slate/packing.py",
        "return size <= min(left, own)",
        "return size <= own",
        (PACKING + "test_no_slate_is_larger_than_its_budgets",),
    ),
    Sabotage(
        "the bytes of a file have no bound",
        "ggrep/search/slate/packing.py",
        "return size <= min(left, own)",
        "return size <= left",
        (PACKING + "test_no_slate_is_larger_than_its_budgets",),
    ),
    Sabotage(
        "files that had no room go without a word",
        "ggrep/search/slate/packing.py",
        'limits.append(LimitHit("max_slate_files_by_bytes", len(kept), len(packs)))',
        "limits.sort(key=str)",
        (SLATING + "test_budgets_are_honoured_and_cuts_said",),
    ),
    Sabotage(
        "files beyond a slate's number go without a word",
        "ggrep/search/slate/slate_answers.py",
        'return (LimitHit("max_slate_files", files, len(selection.picks) + selection.left),)',
        "return ()",
        (SLATING + "test_budgets_are_honoured_and_cuts_said",),
    ),
    Sabotage(
        "a budget may go beyond its cap",
        "ggrep/search/slate/levels.py",
        "min(getattr(asked, name) or getattr(usual, name), getattr(caps, name))",
        "getattr(asked, name) or getattr(usual, name)",
        (LEVELS + "test_a_budget_beyond_its_cap_is_clamped_aloud",),
    ),
    Sabotage(
        "a budget is clamped without a word",
        "ggrep/search/slate/levels.py",
        "            limits.append(LimitHit(code, cap, value))\n",
        "            limits.clear()\n",
        (LEVELS + "test_a_budget_beyond_its_cap_is_clamped_aloud",),
    ),
    Sabotage(
        "names of files may fill all of a slate",
        "ggrep/search/slate/measures.py",
        "return 0.35 * room",
        "return 1.0 * room",
        (PACKING + "test_fewer_bytes_mean_fewer_files_and_not_files_without_a_line",),
    ),
    # USE.MUST.005: profiles in a tracked file.
    Sabotage(
        "a profile may ask for any number",
        "ggrep/config/settings_files.py",
        "    if value > wanted.says.most:\n",
        "    if value < 0:\n",
        (PROFILES + "test_what_cannot_stand_is_refused_by_name",),
    ),
    Sabotage(
        "a profile may widen what the user allows",
        "ggrep/config/settings.py",
        '_require_narrower(key, value, standing, unbounded=key == "max_store_bytes")',
        "_require_narrower(key, 0, standing)",
        (PROFILES + "test_a_profile_may_not_widen_what_the_user_allows",),
    ),
    Sabotage(
        "a repository may widen a default",
        "ggrep/config/settings.py",
        "        if DECLARED[key].kind in {bool, int}:\n",
        "        if DECLARED[key].kind is bool:\n",
        ("tests/config/test_settings.py::test_a_repo_file_may_not_widen_a_default",),
    ),
    Sabotage(
        "unknown keys of a profile are passed over",
        "ggrep/config/settings_files.py",
        "        if known is not None and key not in known:\n",
        "        if known is not None and key is None:\n",
        (PROFILES + "test_what_cannot_stand_is_refused_by_name",),
    ),
    Sabotage(
        "budgets of a profile do not reach slates",
        "ggrep/config/profiles.py",
        "replace(request.budgets, **_defaults(profile, _BUDGET_FIELDS, given))",
        "replace(request.budgets)",
        (PROFILES + "test_every_budget_of_a_query_table_reaches_the_slate",),
    ),
    # USE.MUST.006: equal snapshot and request, equal answer.
    Sabotage(
        "files are looked at up to a bound of each segment",
        "ggrep/search/slate/file_candidates.py",
        "kept.update(_reaching(self._ranked.segments, columns, least, MOST_FILES))",
        "kept.update((place, file) for place, column in enumerate(columns) for _, file in"
        " _reaching(self._ranked.segments[place:][:1], [column], least, MOST_FILES))",
        (
            "tests/engine/test_slate_history.py::test_segments_do_not_matter_where_very_many_files_match",
        ),
    ),
    Sabotage(
        "an equal slate has another id",
        "ggrep/search/query/context.py",
        "        if deterministic:\n",
        "        if not fingerprint:\n",
        (SLATING + "test_the_same_question_has_the_same_bytes",),
    ),
    Sabotage(
        "cuts of a slate come in any order",
        "ggrep/search/query/context.py",
        "limits_hit=sorted_limits(limits),",
        "limits_hit=tuple(limits),",
        (KNOBS + "test_cuts_come_in_one_order",),
    ),
    Sabotage(
        "which copy stays is for the order of the files to say",
        "ggrep/search/slate/duplicates.py",
        "order = sorted(range(len(joined)), key=lambda i: _precedence(joined[i]))",
        "order = list(range(len(joined)))",
        (DUPLICATES + "test_which_copy_stays_does_not_hang_on_the_order",),
    ),
    # USE.MUST.007: one knob for one thing, each in its fingerprint.
    Sabotage(
        "questions for slates of two levels are one",
        "ggrep/search/slate/slate_answers.py",
        "        facts=False,\n",
        "        facts=False,\n        level=1,\n",
        (KNOBS + "test_every_knob_of_a_slate_makes_another_question",),
    ),
    Sabotage(
        "questions with other budgets are one",
        "ggrep/search/slate/slate_answers.py",
        "        facts=False,\n",
        "        facts=False,\n        budgets=type(request.budgets)(),\n",
        (KNOBS + "test_every_knob_of_a_slate_makes_another_question",),
    ),
    Sabotage(
        "questions with and without anchors are one",
        "ggrep/config/fingerprints.py",
        'frozenset({"timeout_ms", "explain"})',
        'frozenset({"timeout_ms", "explain", "include_anchors"})',
        (FINGERPRINTS + "test_query_fingerprint_moves_with_every_knob_but_two",),
    ),
    Sabotage(
        "an index with structure is one without",
        "ggrep/config/declarations.py",
        '_shaping(\n            "cut files by',
        'Key(\n            "cut files by',
        (FINGERPRINTS + "test_config_fingerprint_moves_with_profiles_and_structure",),
    ),
    Sabotage(
        "vectors of all encoders are alike",
        "ggrep/config/fingerprints.py",
        '            "version": "embed-1",\n'
        '            "chunker_revision": chunker_revision,\n'
        '            "encoder_identity": encoder_identity,\n',
        '            "version": "embed-1",\n            "chunker_revision": chunker_revision,\n',
        (FINGERPRINTS + "test_embed_fingerprint_moves_with_encoder_and_chunker",),
    ),
    Sabotage(
        "nobody is told what became of the knob that did everything",
        "ggrep/config/settings.py",
        '{"fast_mode": ',
        '{"slow_mode": ',
        (PROFILES + "test_the_knob_that_did_everything_names_its_successors",),
    ),
    # USE.MUST.010: a projection of the ordinary search.
    Sabotage(
        "files score by all of their rows",
        "ggrep/search/query/segments.py",
        "np.maximum.reduceat(values, self.begins)",
        "np.add.reduceat(values, self.begins)",
        (
            SLATING + "test_scores_of_packs_are_those_of_their_best_evidence",
            GATHERING + "test_a_candidates_score_is_that_of_its_best_row",
        ),
    ),
    Sabotage(
        "a slate forgets the session that it goes on with",
        "ggrep/interfaces/surfaces/body.py",
        'session=None if body.get("session") is None else _session(given),',
        "session=None,",
        ("tests/surfaces/test_navigation_body.py::test_who_sends_a_token_wants_to_go_on",),
    ),
    # USE.MUST.011: sections.
    Sabotage(
        "tests stand among the code",
        "ggrep/search/slate/file_candidates.py",
        "Section.TESTS if standing.is_test else _section_of(CORPORA[corpus], standing.filing)",
        "_section_of(CORPORA[corpus], standing.filing)",
        (GATHERING + "test_files_stand_in_the_sections_that_could_show_them",),
    ),
    Sabotage(
        "code that defines options is code alone",
        "ggrep/search/slate/file_candidates.py",
        "                if defining > 0.0:\n",
        "                if defining < 0.0:\n",
        (GATHERING + "test_a_module_is_configuration_by_the_rows_that_define_options",),
    ),
    Sabotage(
        "diagrams are shown in their own language",
        "ggrep/search/slate/pack_material.py",
        "if self.section is Section.DIAGRAMS and extra:",
        "if self.section is Section.DIAGRAMS and not text:",
        (SLATING + "test_diagrams_are_shown_as_what_they_join",),
    ),
    Sabotage(
        "snippets stand a line further down than they say",
        "ggrep/search/slate/pack_material.py",
        "snippet_start_line=row.start_line + shown.first_line,",
        "snippet_start_line=row.start_line + shown.first_line - 1,",
        (SLATING + "test_snippets_stand_in_the_file_where_they_say",),
    ),
    Sabotage(
        "an overview does not say what is missing",
        "ggrep/search/slate/overview.py",
        "missing=tuple(section for section, number in counts.items() if not number),",
        "missing=(),",
        ("tests/slate/test_overview.py::test_an_overview_of_nothing_names_what_is_missing",),
    ),
    Sabotage(
        "every file has the same reason",
        "ggrep/search/slate/file_choice.py",
        "return [Pick(c, reasons[c.path], rank)",
        'return [Pick(c, "semantic_match", rank)',
        (SELECTION + "test_configuration_is_shown_beside_better_code",),
    ),
    # USE.MUST.012: evidence grouped by file.
    Sabotage(
        "anchors cannot be left out",
        "ggrep/search/slate/pack_material.py",
        "anchor = own[0] if opens and wanted.anchors and own",
        "anchor = own[0] if opens and own",
        (SLATING + "test_anchors_and_the_graph_can_be_left_out",),
    ),
    Sabotage(
        "no file has an anchor",
        "ggrep/search/slate/pack_material.py",
        "anchor = own[0] if opens and wanted.anchors and own",
        "anchor = own[0] if opens and wanted.anchors and not own",
        (SLATING + "test_packs_say_what_files_are_and_where_to_read",),
    ),
    Sabotage(
        "a file goes though only its best piece was compared",
        "ggrep/search/slate/duplicates.py",
        "        and not files[file].unread\n",
        "",
        (READING + "test_a_file_of_which_a_copy_alone_was_read_stays",),
    ),
    Sabotage(
        "text is read by the order of files",
        "ggrep/search/slate/pack_material.py",
        "            turns.append((-worth, place, row))\n",
        "            turns.append((-worth if first else 0.0, place, row))\n",
        (READING + "test_what_is_not_read_would_not_have_been_shown",),
    ),
    Sabotage(
        "a file goes for a single copy in it",
        "ggrep/search/slate/duplicates.py",
        "        and all(\n",
        "        and any(\n",
        (DUPLICATES + "test_a_file_keeps_what_stands_nowhere_else",),
    ),
    # USE.MUST.013: coverage.
    Sabotage(
        "no role is owed a place",
        "ggrep/search/slate/file_choice.py",
        "(Role.ENTRYPOINT, Role.POLICY)",
        "()",
        (SELECTION + "test_an_entry_point_is_shown_although_others_match_better",),
    ),
    Sabotage(
        "policy is owed no place",
        "ggrep/search/slate/file_choice.py",
        "(Role.ENTRYPOINT, Role.POLICY)",
        "(Role.ENTRYPOINT,)",
        (SELECTION + "test_an_entry_point_is_shown_although_others_match_better",),
    ),
    Sabotage(
        "sections without a share are left out",
        "ggrep/search/slate/file_choice.py",
        "max(1, round(share * files / total))",
        "round(share * files / total / 4)",
        (SELECTION + "test_configuration_is_shown_beside_better_code",),
    ),
    Sabotage(
        "a role brings in what does not match",
        "ggrep/search/slate/file_choice.py",
        "if weight >= _FLOORS[c.section]]",
        "if weight >= 0.0]",
        (SELECTION + "test_a_role_does_not_bring_in_what_does_not_match",),
    ),
    Sabotage(
        "mentions of the best code count for nothing",
        "ggrep/search/slate/file_choice.py",
        " + _MENTIONS[section] * candidate.mention\n",
        "\n",
        (SELECTION + "test_mentions_of_the_best_code_count_beside_score",),
    ),
    Sabotage(
        "a repository's own roles count for nothing",
        "ggrep/search/slate/file_candidates.py",
        "self._rules.roles_of(path)",
        "RoleRules().roles_of(path)",
        (GATHERING + "test_roles_of_a_repository_reach_its_candidates",),
    ),
    Sabotage(
        "files that are filtered away are companions",
        "ggrep/search/slate/related_files.py",
        "        by_file[~shown] = 0.0\n",
        "",
        (COMPANIONS + "test_what_is_filtered_away_is_no_companion",),
    ),
    Sabotage(
        "rows that are filtered away are companions",
        "ggrep/search/slate/related_files.py",
        "        by_row[~eligible] = 0.0\n",
        "",
        (COMPANIONS + "test_what_is_filtered_away_is_no_companion",),
    ),
    # USE.MUST.014: four levels over one choice of files.
    Sabotage(
        "higher levels choose more files",
        "ggrep/search/slate/slate_answers.py",
        "request, budgets.files, session, deadline)",
        "request, budgets.files + 4 * request.level, session, deadline)",
        (SLATING + "test_levels_select_the_same_of_many_files",),
    ),
    Sabotage(
        "the least level chooses less evidence",
        "ggrep/search/slate/levels.py",
        "        evidence=budgets.evidence_per_file,\n",
        "        evidence=budgets.evidence_per_file if level else 1,\n",
        (SLATING + "test_levels_select_the_same",),
    ),
    Sabotage(
        "neighbours are shown on the usual level",
        "ggrep/search/slate/levels.py",
        "neighbours=level >= _DEEP,",
        "neighbours=level >= 1,",
        (LEVELS + "test_each_level_shows_more_than_the_one_below",),
    ),
    Sabotage(
        "neighbours are shown on no level",
        "ggrep/search/slate/levels.py",
        "neighbours=level >= _DEEP,",
        "neighbours=False,",
        (SLATING + "test_higher_levels_show_more_of_each_chunk",),
    ),
    Sabotage(
        "neighbours are whatever stands beside",
        "ggrep/search/slate/pack_material.py",
        "            if _belong_together(centre.details, record.details):\n",
        "            if record:\n",
        (KNOBS + "test_neighbours_belong_to_what_they_stand_beside",),
    ),
    Sabotage(
        "there is a fifth level",
        "ggrep/search/slate/levels.py",
        "    if level not in LEVELS:\n",
        "    if level < 0:\n",
        (LEVELS + "test_there_are_four_levels",),
    ),
    # USE.MUST.015: a stated order.
    Sabotage(
        "evidence stands by score",
        "ggrep/search/slate/pack_draft.py",
        "key=lambda item: (item.start_line, item.chunk_id)",
        "key=lambda item: (-item.score, item.chunk_id)",
        (PACKING + "test_no_slate_is_larger_than_its_budgets",),
    ),
    Sabotage(
        "files stand by path alone",
        "ggrep/search/slate/packing.py",
        "ordered = sorted(own, key=lambda pack: (-pack.score, pack.repo, pack.path))",
        "ordered = sorted(own, key=lambda pack: (pack.repo, pack.path))",
        (PACKING + "test_no_slate_is_larger_than_its_budgets",),
    ),
    Sabotage(
        "which files give way is for their order to say",
        "ggrep/search/slate/packing.py",
        "for one in sorted(packs, key=_standing):",
        "for one in packs:",
        (PACKING + "test_the_order_of_the_files_does_not_matter",),
    ),
    Sabotage(
        "files are chosen by path",
        "ggrep/search/slate/file_choice.py",
        "    return -one.weight, one.path\n",
        "    return 0.0, one.path\n",
        (SELECTION + "test_tests_of_files_that_are_shown_come_first",),
    ),
    # USE.MUST.016: an inquiry over several requests on one snapshot.
    Sabotage(
        "the seal of a token is not compared",
        "ggrep/search/slate/tokens.py",
        "if len(body) < _HEAD or not hmac.compare_digest(seal, _sealed(body, key, store_id)):",
        "if len(body) < _HEAD:",
        (TOKENS + "test_a_token_is_refused_whichever_bit_was_changed",),
    ),
    Sabotage(
        "a token serves every store",
        "ggrep/search/slate/tokens.py",
        '_CONTEXT + store_id.encode() + b"\\0" + body',
        "_CONTEXT + body",
        (TOKENS + "test_a_token_of_another_store_or_home_is_refused_alike",),
    ),
    Sabotage(
        "a token of any size is read",
        "ggrep/search/slate/tokens.py",
        "    if len(text) > MAX_TOKEN_BYTES:\n",
        "    if len(text) > MAX_TOKEN_BYTES << 20:\n",
        (TOKENS + "test_a_token_of_a_megabyte_is_refused_unread",),
    ),
    Sabotage(
        "a session goes on over the newest snapshot",
        "ggrep/search/slate/slate_answers.py",
        "return sessions.snapshot_of(request.session.token) if request.session.token else None",
        "return None",
        (SLATING + "test_a_session_sees_the_snapshot_that_it_began_with",),
    ),
    Sabotage(
        "a collection takes a snapshot that is explored",
        "ggrep/index/maintenance/collection.py",
        "Retention(target.settings, now, pinned(store, now))",
        "Retention(target.settings, now, ())",
        (PINNED + "test_an_explored_snapshot_stays_whole_until_the_session_ends",),
    ),
    Sabotage(
        "a preview of a collection overlooks sessions",
        "ggrep/index/maintenance/collection.py",
        "    retention = Retention(settings, now, pinned(store, now))\n",
        "    retention = Retention(settings, now, ())\n",
        (PINNED + "test_a_preview_sees_pins_and_touches_none",),
    ),
    Sabotage(
        "a session never ends",
        "ggrep/index/store/pins.py",
        "return timedelta() < self.expires_at - now <= _LONGEST",
        "return self.expires_at - now <= _LONGEST",
        (
            SLATING + "test_an_ended_session_says_so",
            SESSIONS + "test_a_session_lives_an_hour_beyond_its_last_use",
        ),
    ),
    Sabotage(
        "a session ends though it is used",
        "ggrep/search/slate/sessions.py",
        "extend(self.store, _require_pin(self.store, token, self.now), self.now)",
        "_require_pin(self.store, token, self.now)",
        (SESSIONS + "test_a_session_lives_an_hour_beyond_its_last_use",),
    ),
    Sabotage(
        "any number of sessions may run",
        "ggrep/index/store/pins.py",
        "    if len(live) >= MAX_PINS:\n",
        "    if len(live) > MAX_PINS << 10:\n",
        ("tests/store/test_pins.py::test_sessions_are_bounded_and_none_is_evicted",),
    ),
    # USE.MUST.017: answers that leave out what was shown before.
    Sabotage(
        "what was shown before is shown again",
        "ggrep/search/slate/slate_answers.py",
        "    if session is not None and asked is not None and asked.delta_only:\n",
        "    if session is not None and asked is None:\n",
        (SLATING + "test_a_session_goes_on_with_what_it_has_not_returned",),
    ),
    Sabotage(
        "what was shown before is left out unasked",
        "ggrep/search/slate/slate_answers.py",
        "    if session is not None and asked is not None and asked.delta_only:\n",
        "    if session is not None:\n",
        (SLATING + "test_without_delta_a_session_may_return_files_again",),
    ),
    Sabotage(
        "a token forgets what was shown before the last answer",
        "ggrep/search/slate/sessions.py",
        "session.seen.union(map(path_hash, paths))",
        "frozenset(map(path_hash, paths))",
        (SESSIONS + "test_a_session_knows_what_it_returned",),
    ),
    Sabotage(
        "what a session has seen digests by its order",
        "ggrep/search/slate/tokens.py",
        'b"".join(sorted(seen))',
        'b"".join(seen)',
        (TOKENS + "test_the_digest_of_what_was_seen_does_not_tell_its_order",),
    ),
    Sabotage(
        "a token names any number of files",
        "ggrep/search/slate/tokens.py",
        "    if len(token.seen) > MAX_SEEN:\n",
        "    if len(token.seen) > MAX_SEEN << 10:\n",
        (TOKENS + "test_a_session_that_saw_too_much_says_so",),
    ),
    Sabotage(
        "a file that says the same as one that was shown is shown next",
        "ggrep/search/slate/session_steps.py",
        "    return named.intersection(copies).union(",
        "    return frozenset().union(",
        (KNOBS + "test_a_copy_of_what_was_shown_does_not_come_next",),
    ),
    Sabotage(
        "a workspace's session goes on over the newest snapshots",
        "ggrep/federation/workspace_slates.py",
        "        kept=session.tokens,\n",
        "        kept={},\n",
        (WORKSPACE_SESSIONS + "test_a_session_sees_the_snapshots_that_it_showed",),
    ),
    Sabotage(
        "a workspace's session shows files again",
        "ggrep/federation/workspace_slates.py",
        "seen=tuple(seen.hex() for seen in earlier.seen)",
        "seen=()",
        (WORKSPACE_SESSIONS + "test_a_session_shows_every_file_that_is_worth_it_once",),
    ),
    Sabotage(
        "a damaged token of a workspace is read",
        "ggrep/federation/workspace_sessions.py",
        "checksum != _checksum(body)",
        "checksum != checksum",
        (
            "tests/federation/test_workspace_sessions.py::"
            "test_a_token_is_refused_whichever_byte_was_changed",
        ),
    ),
    # USE.MUST.018: a graph of how the shown files relate.
    Sabotage(
        "edges say what diagrams say",
        "ggrep/search/slate/graph_edges.py",
        'yield GraphEdge("relates", item.path, end.path, end.name)',
        'yield GraphEdge("relates", item.path, end.path, str((labels, item.mentions)))',
        (GRAPH + "test_no_word_of_the_texts_gets_into_the_graph",),
    ),
    Sabotage(
        "a graph has any number of nodes",
        "ggrep/search/slate/graph.py",
        "kept = nodes[: bounds.nodes]",
        "kept = nodes",
        (GRAPH + "test_too_many_nodes_leave_the_best_and_are_told",),
    ),
    Sabotage(
        "a graph has any number of edges",
        "ggrep/search/slate/graph.py",
        "used = joined[: bounds.edges]",
        "used = joined",
        (GRAPH + "test_too_many_edges_leave_some_of_each_kind_and_are_told",),
    ),
    Sabotage(
        "a graph has any size",
        "ggrep/search/slate/graph.py",
        "graph = _fitting(kept, used, bounds.bytes)",
        "graph = _graph(kept, used)",
        (GRAPH + "test_a_graph_keeps_to_its_bytes",),
    ),
    Sabotage(
        "facts leave though nothing is joined by them",
        "ggrep/search/slate/facts.py",
        "mentions=tuple(n for n in item.mentions if _elsewhere(self._called, n, path)),",
        "mentions=item.mentions,",
        (
            "tests/slate/test_facts.py"
            "::test_published_facts_hold_no_word_of_strings_comments_or_prose",
        ),
    ),
    # USE.MUST.020: an MCP surface with the command line's controls.
    Sabotage(
        "a tool takes arguments that it does not know",
        "ggrep/interfaces/mcp/arguments.py",
        "raise InvalidRequest(_unknown(tool, word, arguments, elsewhere))",
        "continue",
        (CALLS + "test_every_tool_refuses_an_argument_that_it_does_not_know",),
    ),
    Sabotage(
        "a tool takes options that it does not know",
        "ggrep/interfaces/mcp/arguments.py",
        'raise InvalidRequest(f"{tool}: unknown option {option!a:.80}; it takes {named}")',
        "continue",
        (CALLS + "test_every_tool_refuses_an_option_that_it_does_not_know",),
    ),
    Sabotage(
        "a budget of a file is one of the whole slate",
        "ggrep/interfaces/mcp/tools.py",
        'tuple(place.split("."))',
        'tuple(place.replace("File", "").split("."))',
        (CALLS + "test_arguments_of_context_reach_the_request",),
    ),
    Sabotage(
        "anchors of a workspace's slate are those of hits",
        "ggrep/interfaces/mcp/tool_calls.py",
        'replace(argument, place=("slate", "anchors"))',
        "argument",
        (CALLS + "test_arguments_of_a_slate_of_a_workspace_reach_its_shape",),
    ),
    Sabotage(
        "what only the other format heeds is passed over",
        "ggrep/interfaces/mcp/tool_calls.py",
        "    if idle:\n",
        "    if idle and not values:\n",
        (CALLS + "test_what_only_the_other_format_heeds_is_refused",),
    ),
    # USE.MUST.021: MCP never gives full text unless asked.
    Sabotage(
        "a tool's slate is whole unless asked otherwise",
        "ggrep/interfaces/mcp/tools.py",
        '"0 paths to 3 whole", default=1',
        '"0 paths to 3 whole", default=3',
        (TOOLS + "test_a_slate_is_of_level_1_unless_asked_for",),
    ),
    Sabotage(
        "a tool's snippets are whole unless asked otherwise",
        "ggrep/interfaces/mcp/tools.py",
        '"Text of a hit", default="short"',
        '"Text of a hit", default="full"',
        (TOOLS + "test_a_snippet_is_short_unless_asked_for",),
    ),
    Sabotage(
        "a tool's defaults are not sent",
        "ggrep/interfaces/mcp/arguments.py",
        "return usual | values | options",
        "return values | options",
        (CALLS + "test_a_search_shows_short_snippets_unless_told",),
    ),
    Sabotage(
        "of two names of one argument any counts",
        "ggrep/interfaces/mcp/arguments.py",
        "if found.get(name) is not None and found[name] != value:",
        "if False:",
        ("tests/mcp/test_spellings.py::test_two_names_of_one_argument_have_to_agree",),
    ),
    Sabotage(
        "a text over its budget is not cut",
        "ggrep/interfaces/mcp/tools.py",
        "if len(data) <= most:",
        "if data is not None:",
        ("tests/mcp/test_text_budgets.py::test_a_text_is_whole_or_within_its_budget",),
    ),
    Sabotage(
        "progress begins anew with each stage",
        "ggrep/interfaces/mcp/progress.py",
        "max(round(self._told + _A_LITTLE, 3), float(found.done_files))",
        "float(found.done_files)",
        (
            "tests/mcp/test_progress.py"
            "::test_what_is_told_of_indexing_rises_whatever_stage_begins_anew",
        ),
    ),
    Sabotage(
        "an empty answer is silent about files that it could not see",
        "ggrep/search/engine/query_answers.py",
        "    if not hits or limits or confidence is not Confidence.STRONG:\n",
        "    if hits and limits:\n",
        (
            "tests/engine/test_unseen_files.py"
            "::test_an_answer_that_finds_nothing_counts_what_it_could_not_see",
        ),
    ),
    Sabotage(
        "evidence is dropped without a limit",
        "ggrep/search/slate/pack_draft.py",
        "    over = form.level > 0 and pieces > most\n",
        "    over = form.level > 3 and pieces > most\n",
        (
            "tests/engine/test_slate_knobs.py"
            "::test_every_bound_that_drops_something_has_its_name_and_its_value",
        ),
    ),
    Sabotage(
        "a document is sent beside its text",
        "ggrep/interfaces/mcp/server.py",
        "if arguments.get(STRUCTURED.name) is True:",
        "if tool is not None:",
        ("tests/mcp/test_server.py::test_every_tool_answers_with_one_text_and_nothing_else",),
    ),
    Sabotage(
        "a status says that a failed index is fresh",
        "ggrep/render/agent_text.py",
        'elif sync.get("last_error"):',
        "elif False:",
        ("tests/render/test_agent_state.py::test_an_index_that_is_not_fresh_says_so",),
    ),
    Sabotage(
        "a sync goes on asking for who has left",
        "ggrep/service/syncing.py",
        "        group.cancel_scope.cancel()\n",
        "",
        ("tests/surfaces/test_syncing.py::test_progress_is_told_until_the_answer_comes",),
    ),
    # USE.MUST.030: choosing a profile.
    Sabotage(
        "nobody may choose a profile",
        "ggrep/config/settings.py",
        "profiles.named(str(named) or usual)",
        "profiles.named(usual)",
        (PROFILES + "test_the_strongest_who_names_a_profile_is_heard",),
    ),
    Sabotage(
        "the profile that a repository chooses is not in force",
        "ggrep/config/settings.py",
        "profiles.named(str(named) or usual)",
        "profiles.named(str(named))",
        (PROFILES + "test_the_strongest_who_names_a_profile_is_heard",),
    ),
    Sabotage(
        "a view narrows nothing",
        "ggrep/config/profiles.py",
        "dict.fromkeys((*request.within, *profile.view.within))",
        "dict.fromkeys(request.within)",
        (PROFILES + "test_a_view_narrows_whatever_was_given",),
    ),
    Sabotage(
        "a profile overrules who asks",
        "ggrep/config/profiles.py",
        "for field, name in names.items() if field not in given}",
        "for field, name in names.items()}",
        (PROFILES + "test_a_profile_fills_in_what_was_not_given",),
    ),
    # USE.MUST.031: profiles enter fingerprints.
    Sabotage(
        "an index with a data set is the one without",
        "ggrep/config/declarations.py",
        '            who="profiles",\n            shapes_index=True,\n        ),\n    ] = ()\n',
        '            who="profiles",\n        ),\n    ] = ()\n',
        (FINGERPRINTS + "test_config_fingerprint_moves_with_profiles_and_structure",),
    ),
    Sabotage(
        "the name of a profile makes another index",
        "ggrep/config/declarations.py",
        '            who="e r",\n',
        '            who="e r",\n            shapes_index=True,\n',
        (PROFILES + "test_two_names_of_one_content_share_an_index",),
    ),
    Sabotage(
        "questions within two views are one",
        "ggrep/config/fingerprints.py",
        'fields["within"] = sorted({(f.key, f.value, f.negated) for f in request.within})',
        'fields["within"] = []',
        (FINGERPRINTS + "test_query_fingerprint_moves_with_every_knob_but_two",),
    ),
    # USE.MUST.032: profiles add ignore patterns, and may include data sets.
    Sabotage(
        "what a profile excludes is shown",
        "ggrep/config/profiles.py",
        "ProfileView((*view.within, *hidden), view.corpora)",
        "ProfileView(view.within, view.corpora)",
        (PROFILES + "test_a_profile_says_what_its_table_says",),
    ),
    Sabotage(
        "what a profile with a store excludes is indexed",
        "ggrep/config/settings.py",
        "if isinstance(ignored, tuple) else ()), *profile.exclude),",
        "if isinstance(ignored, tuple) else ()),),",
        (PROFILES + "test_a_profile_with_a_store_shapes_its_settings",),
    ),
    Sabotage(
        "a profile includes secrets",
        "ggrep/parse/source/entry_rules.py",
        "        if is_secret(os.fsdecode(path)):\n",
        "        if is_secret(os.fsdecode(path)) and not place.included:\n",
        (INCLUSION + "test_a_profile_never_includes_secrets",),
    ),
    Sabotage(
        "a profile includes nothing",
        "ggrep/parse/source/inclusion.py",
        "return included or self.rules.decide(path, is_directory=False) is True",
        "return included",
        (INCLUSION + "test_a_pattern_adds_what_it_names",),
    ),
    Sabotage(
        "a view hides names at the top alone",
        "ggrep/config/profiles.py",
        'return (*top, f"*/{core}", f"*/{core}/*")',
        "return top",
        ("tests/config/test_view_filters.py::test_a_view_hides_what_ignoring_would",),
    ),
    # USE.MUST.033: budgets for data sets.
    Sabotage(
        "a data set may be of any size",
        "ggrep/index/sync/dataset_budget.py",
        "    if size <= most_bytes:\n",
        "    if size >= 0:\n",
        (BUDGET + "test_a_byte_too_much_fails_with_figures",),
    ),
    Sabotage(
        "a data set is cut unasked",
        "ggrep/index/sync/dataset_budget.py",
        "    if not allow_degraded:\n",
        "    if allow_degraded is None:\n",
        (BUDGET + "test_a_byte_too_much_fails_with_figures",),
    ),
    Sabotage(
        "a data set is cut without a word",
        "ggrep/index/sync/dataset_budget.py",
        "    return cut, (DegradedFile(DATASET_BUDGET, message, first),)\n",
        "    return cut, ()\n",
        (BUDGET + "test_a_degraded_index_takes_files_by_path_until_one_does_not_fit",),
    ),
    Sabotage(
        "a data set needs no budget",
        "ggrep/config/profiles.py",
        'raise _refused(f"{place}.{key}", "is wanted where `include` is")',
        "continue",
        (PROFILES + "test_what_cannot_stand_is_refused_by_name",),
    ),
    # USE.MUST.040, USE.SHOULD.041: evaluation of slates.
    Sabotage(
        "levels that show other files are not noticed",
        "training/slates/asking.py",
        "same_selection=all(shown(each.slate) == first for each in (*levels, started)),",
        "same_selection=True,",
        (FIGURES + "test_a_level_that_shows_other_files_is_noticed",),
    ),
    Sabotage(
        "another answer to the same question is not noticed",
        "training/slates/asking.py",
        "repeated=_document(again(request)) == _document(usual),",
        "repeated=True,",
        (FIGURES + "test_another_answer_is_noticed",),
    ),
    Sabotage(
        "weak answers count as none",
        "training/slates/figures.py",
        "answer.confidence is Confidence.NONE",
        "answer.confidence is not Confidence.STRONG",
        (FIGURES + "test_doubt_is_counted",),
    ),
    Sabotage(
        "a file in any section covers all",
        "training/slates/results.py",
        "set(paths).intersection(found.get(section, ()))",
        "set(paths).intersection(everything)",
        (FIGURES + "test_a_section_covers_what_it_shows_itself",),
    ),
    Sabotage(
        "a call that covers one of several sections is the last",
        "training/slates/results.py",
        "return 2 if all(further) else MORE_CALLS",
        "return 2 if any(further) else MORE_CALLS",
        (FIGURES + "test_calls_are_counted",),
    ),
    Sabotage(
        "a case that wants nothing is one",
        "training/slates/suite.py",
        "    if not wanted:\n",
        "    if wanted is None:\n",
        ("tests/training/slates/test_suite.py::test_a_case_without_sections_is_refused",),
    ),
    Sabotage(
        "a suite's paths are taken as they are written",
        "ggrep/interfaces/evaluation/suite.py",
        "relevant = map(posixpath.normpath, named)",
        "relevant = iter(named)",
        ("tests/evaluation/test_suite_files.py::test_a_suite_is_read",),
    ),
    Sabotage(
        "a bound that is missed holds",
        "ggrep/interfaces/evaluation/report.py",
        "value is not None and value >= least))",
        "value is not None))",
        ("tests/cli/test_evaluate.py::test_a_missed_bound_is_a_failure",),
    ),
    # Slates over a workspace.
    Sabotage(
        "every repository is owed a single file",
        "ggrep/search/slate/combine.py",
        "share = max(1, files // (2 * len(matching)))",
        "share = 1",
        (COMBINE + "test_a_repository_with_high_scores_cannot_take_all",),
    ),
    Sabotage(
        "no repository is owed a file",
        "ggrep/search/slate/combine.py",
        "share = max(1, files // (2 * len(matching)))",
        "share = files // (2 * len(matching))",
        (COMBINE + "test_every_repository_that_matches_keeps_a_file",),
    ),
    Sabotage(
        "scores that do not compare are compared",
        "ggrep/search/slate/combine.py",
        "    if not how.comparable:\n",
        "    if how.comparable is None:\n",
        (COMBINE + "test_scores_that_do_not_compare_count_as_shares_of_their_repositorys_best",),
    ),
    Sabotage(
        "files of one repository are joined as if they were of two",
        "ggrep/search/slate/cross_repo.py",
        "at_home = by_repo.pop(repo, None) is not None",
        "at_home = False",
        ("tests/slate/test_cross_repo.py::test_files_of_one_repository_are_not_joined",),
    ),
    Sabotage(
        "a name that everybody provides joins all",
        "ggrep/search/slate/cross_repo.py",
        "if len(by_repo) <= MOST_PROVIDERS and (",
        "if (",
        ("tests/slate/test_cross_repo.py::test_a_name_that_many_repositories_provide_joins_none",),
    ),
    Sabotage(
        "a repository gives a slate of its newest snapshot",
        "ggrep/federation/workspace_slates.py",
        "given.pools[repo].provenance.snapshot_id",
        "None",
        (WORKSPACES + "test_the_snapshot_that_gave_the_hits_is_the_one_that_is_asked",),
    ),
    # Opening places of a session, and what is around a place.
    Sabotage(
        "targets are forgotten",
        "ggrep/search/slate/slate_answers.py",
        "    return Selection(tuple(picks), 0, 0)\n",
        "    return Selection((), 0, 0)\n",
        (SLATING + "test_targets_are_opened_with_the_lines_that_are_asked_for",),
    ),
    Sabotage(
        "lines of targets are forgotten",
        "ggrep/search/slate/pack_material.py",
        "any(row.start_line <= line <= row.end_line for line in pick.lines)",
        "pick.rank < 0",
        (KNOBS + "test_a_line_that_is_asked_for_comes_before_what_matches_best",),
    ),
    Sabotage(
        "as little as there is around a place is shown",
        "ggrep/search/navigation/expanding.py",
        "reach = fitting[-1] if fitting else reaches[0]",
        "reach = reaches[0]",
        (EXPANDING + "test_auto_is_the_whole_of_a_file_that_was_asked_for",),
    ),
    Sabotage(
        "a place is cut from the top of what is around it",
        "ggrep/search/navigation/expanding.py",
        "return _cut(file, reach, target.first_line, request.max_bytes, size)",
        "return _cut(file, reach, reach.first_line, request.max_bytes, size)",
        (EXPANDING + "test_what_is_too_much_is_cut_around_the_line",),
    ),
    # Kinds of finding.
    Sabotage(
        "exact text is not looked for to the letter",
        "ggrep/search/query/finding.py",
        "    if request.find not in _OF_NAMES and not request.is_exact:\n",
        "    if request.find not in _OF_NAMES:\n",
        (LITERAL + "test_letters_count_and_words_do_not",),
    ),
    Sabotage(
        "an expression's anchors are those of a whole file",
        "ggrep/search/query/regex.py",
        '_BY_LINES: Final = "(?m)"',
        '_BY_LINES: Final = "(?-m)"',
        (LITERAL + "test_an_expression_matches_line_by_line",),
    ),
    Sabotage(
        "an expression matches in any letter case",
        "ggrep/search/query/regex.py",
        '_BY_LINES: Final = "(?m)"',
        '_BY_LINES: Final = "(?mi)"',
        (LITERAL + "test_an_expression_matches_line_by_line",),
    ),
    Sabotage(
        "an expression runs over line ends",
        "ggrep/search/query/regex.py",
        "options.never_nl = not over_lines",
        "options.never_nl = False",
        (LITERAL + "test_an_expression_matches_line_by_line",),
    ),
    Sabotage(
        "a line begins with its chunk",
        "ggrep/search/query/text_runs.py",
        'before[before.rfind(b"\\n") + 1 :]',
        'b""',
        (RUNS + "test_an_answer_is_that_of_whole_files",),
    ),
    Sabotage(
        "a text goes on in the next file",
        "ggrep/search/query/line_matches.py",
        "        if pattern.by_line and len(text)",
        "        if len(text)",
        (RUNS + "test_files_are_apart_although_they_are_matched_at_once",),
    ),
    Sabotage(
        "a chunk matches with a word of its file",
        "ggrep/search/query/literal.py",
        "rows &= held |",
        "rows |= held |",
        (RUNS + "test_rows_that_cannot_match_are_not_read",),
    ),
    Sabotage(
        "what defines a name uses it",
        "ggrep/search/query/naming.py",
        "        own[rows.rows[rows.factors == 1.0]] = False\n",
        "",
        (FINDING + "test_a_usage_holds_the_name_as_a_word_and_does_not_define_it",),
    ),
    Sabotage(
        "longer names are usages of shorter ones",
        "ggrep/search/query/naming.py",
        "literal(last, whole_words=True)",
        "literal(last)",
        (FINDING + "test_a_usage_holds_the_name_as_a_word_and_does_not_define_it",),
    ),
    Sabotage(
        "a name in another letter case is the name",
        "ggrep/search/query/naming.py",
        "_OTHER_CASE: Final = 0.1",
        "_OTHER_CASE: Final = 1.0",
        (FINDING + "test_a_definition_is_what_defines_the_name_its_own_spelling_first",),
    ),
    Sabotage(
        "code is most like itself",
        "ggrep/search/query/pipeline.py",
        "eligible[seed.segment][seed.row] = False",
        "eligible[seed.segment][seed.row] = True",
        (FINDING + "test_similar_code_of_a_place_is_never_the_place_itself",),
    ),
    # Names by syntax.
    Sabotage(
        "files behind a page are parsed",
        "ggrep/search/navigation/mentions.py",
        'full = self.totals["usage"] > self.skip + self.request.limit',
        "full = False",
        (TEXT_FIRST + "test_files_behind_a_page_are_counted_and_not_parsed",),
    ),
    Sabotage(
        "definitions behind a page are not looked for",
        "ggrep/search/navigation/mentions.py",
        "return bool(self.asked.owners) or not full or defines",
        "return bool(self.asked.owners) or not full",
        (TEXT_FIRST + "test_pages_are_the_answer_of_parsing_everything",),
    ),
    Sabotage(
        "files that were cut by lines define nothing but by the form of their lines",
        "ggrep/index/sync/image_builder.py",
        'any(row.method == "lines" for row in rows)',
        "not rows",
        (TEXT_FIRST + "test_members_of_a_long_type_are_found_in_each_of_its_chunks",),
    ),
    Sabotage(
        "a row begins at the length of what stands before it",
        "ggrep/search/query/text_runs.py",
        "        before = cut\n",
        "        before = start\n",
        (RUNS + "test_a_match_is_in_its_row_wherever_rows_begin",),
    ),
    Sabotage(
        "an image has no keys of the words that a text may define",
        "ggrep/index/sync/image_builder.py",
        "self._definition_keys.extend(definition_keys(defined, len(self._paths) - 1))",
        "pass",
        (TEXT_FIRST + "test_definitions_inside_of_functions_are_found_without_a_look_at_texts",),
    ),
    Sabotage(
        "strings are usages",
        "ggrep/search/navigation/mentions.py",
        'self.kinds = frozenset({"usage", ',
        'self.kinds = frozenset({"usage", "string", ',
        (NAMES + "test_usages_leave_definitions_strings_and_documents_out",),
    ),
    Sabotage(
        "what stands in a string is code to a parser",
        "ggrep/parse/occurrences/nodes.py",
        '        return "string"\n',
        '        return ""\n',
        ("tests/occurrences/test_occurrences.py::test_strings_and_comments_are_told_from_code",),
    ),
    Sabotage(
        "what a name is qualified by does not matter",
        "ggrep/search/navigation/definitions.py",
        "    if _ends(_parts(place.mention.container), owners):\n",
        "    if owners or not owners:\n",
        (NAMES + "test_what_a_name_is_qualified_by_narrows_the_answer",),
    ),
    Sabotage(
        "declarations come before bodies",
        "ggrep/search/navigation/definitions.py",
        "defined is not None and defined.declared_only,",
        "defined is not None and not defined.declared_only,",
        (NAMES + "test_a_body_comes_before_a_mere_declaration",),
    ),
    # Receipts.
    Sabotage(
        "bytes of a replay are not compared",
        "ggrep/search/engine/receipts.py",
        "same_bytes = now.answer_sha256 == receipt.origin.answer_sha256",
        "same_bytes = bool(now.answer_sha256)",
        (RECEIPTS + "test_another_ranking_is_told_with_the_places_that_differ",),
    ),
    Sabotage(
        "a replay asks the newest snapshot",
        "ggrep/search/engine/receipts.py",
        "engine.search(question, deadline, budgets=budgets, snapshot_id=wanted)",
        "engine.search(question, deadline, budgets=budgets)",
        (RECEIPTS + "test_the_same_bytes_come_after_edits_while_the_snapshot_lives",),
    ),
    Sabotage(
        "a replay over another snapshot does not say so",
        "ggrep/search/engine/receipts.py",
        "            elsewhere = ReplayResult.SNAPSHOT_GONE\n",
        "            elsewhere = None\n",
        (RECEIPTS + "test_a_snapshot_that_is_gone_is_told",),
    ),
    Sabotage(
        "a replay keeps to the budgets of today",
        "ggrep/search/engine/receipts.py",
        "question, budgets = receipt.question, dict(receipt.budgets)",
        "question, budgets = receipt.question, dict(receipt.budgets[:0])",
        (RECEIPTS + "test_the_budgets_of_the_receipt_hold",),
    ),
)

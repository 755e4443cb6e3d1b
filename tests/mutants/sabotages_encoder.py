"""Sabotages of the static encoder, of how its cosines count, and of its training.

See `sabotages.py`.
"""

from tests.mutants.sabotages import Sabotage

BAGS = "tests/training/encoder/test_bags.py::"
BATCHES = "tests/training/encoder/test_batches.py::"
CONFIDENCE = "tests/domain/test_confidence.py::"
CONTRAST = "tests/training/encoder/test_contrast.py::"
DUPLICATES = "tests/training/encoder/test_near_duplicates.py::"
ENGINE = "tests/engine/test_engine.py::"
PACKAGES = "tests/training/encoder/test_packages.py::"
SCORES = "tests/query/test_scores.py::"
STATIC_ENCODER = "tests/embedding/test_static_encoder.py::"
STATIC_MODEL = "tests/embedding/test_static_model.py::"
TRAINING = "tests/training/encoder/test_training.py::"
UNPACKING = "tests/training/encoder/test_unpacking.py::"

ENCODER_SABOTAGES = (
    # How cosines count.
    Sabotage(
        "every row is as near as the best of its file",
        "ggrep/search/query/blend.py",
        "Part(weights.dense * fusion.row, signals.near)",
        "Part(weights.dense * fusion.row, signals.near_file)",
        (SCORES + "test_a_row_counts_by_its_own_nearness_and_by_its_files",),
    ),
    Sabotage(
        "a file's nearness counts though likeness is hardly wanted",
        "ggrep/search/query/blend.py",
        "Part(weights.dense * fusion.file, signals.near_file)",
        "Part(fusion.file, signals.near_file)",
        (SCORES + "test_a_row_counts_by_its_own_nearness_and_by_its_files",),
    ),
    Sabotage(
        "a header chunk takes the first place of its file",
        "ggrep/search/query/blend.py",
        "runs.highest(total * shown)",
        "runs.highest(total)",
        (SCORES + "test_a_header_chunk_puts_no_other_behind_it",),
    ),
    Sabotage(
        "a cosine below the floor counts",
        "ggrep/search/query/score.py",
        "np.maximum(cosine - floor, 0.0)",
        "np.maximum(cosine, 0.0)",
        (SCORES + "test_a_cosine_counts_by_its_share_of_the_way_from_the_floor_to_1",),
    ),
    Sabotage(
        "a higher floor makes the best cosine count less",
        "ggrep/search/query/score.py",
        "    near *= 1.0 / (1.0 - floor)\n",
        "",
        (SCORES + "test_a_cosine_counts_by_its_share_of_the_way_from_the_floor_to_1",),
    ),
    Sabotage(
        "a hidden row is near",
        "ggrep/search/query/score.py",
        "            grounded[hidden] = False\n",
        "            pass\n",
        (SCORES + "test_a_hidden_row_has_no_score",),
    ),
    Sabotage(
        "cosines are looked at though they are switched off",
        "ggrep/search/query/score.py",
        "not segment.vectors or not self._weights.dense:",
        "not segment.vectors:",
        (SCORES + "test_an_encoder_that_is_switched_off_says_nothing",),
    ),
    Sabotage(
        "a header chunk speaks for its file",
        "ggrep/search/query/score.py",
        "near * (anchors == 0)",
        "near",
        (SCORES + "test_a_file_is_as_near_as_the_best_of_its_chunks_that_are_shown",),
    ),
    Sabotage(
        "a file gets its neighbour's nearness",
        "ggrep/search/query/segments.py",
        "np.diff(begins, append=len(files))",
        "np.diff(begins, prepend=len(files))[::-1]",
        (SCORES + "test_a_file_is_as_near_as_the_best_of_its_chunks_that_are_shown",),
    ),
    Sabotage(
        "a query that no chunk holds is one that was looked for",
        "ggrep/search/query/score.py",
        "verbatim is None or not len(verbatim):",
        "verbatim is None:",
        (SCORES + "test_rows_that_hold_the_query_word_for_word_are_told",),
    ),
    Sabotage(
        "every encoder's cosines count alike",
        "ggrep/search/query/pipeline.py",
        "fusion = FUSION[encoder.identity.name]",
        'fusion = FUSION["static"]',
        (SCORES + "test_each_encoder_has_its_own_figures",),
    ),
    # Confidence.
    Sabotage(
        "likeness that all files share counts as evidence",
        "ggrep/model/confidence.py",
        "max((leader.evidence for leader in self.leaders), default=0.0)",
        "max((leader.score for leader in self.leaders), default=0.0)",
        (CONFIDENCE + "test_what_an_encoder_gives_to_all_alike_says_nothing",),
    ),
    Sabotage(
        "the file that comes first decides alone",
        "ggrep/model/confidence.py",
        "tuple(sorted(self.leaders, key=lambda leader: _order(leader)[1:])[:_FIRST])",
        "self.leaders[:_FIRST]",
        (CONFIDENCE + "test_which_of_the_best_files_comes_first_decides_nothing",),
    ),
    Sabotage(
        "likeness alone is shown",
        "ggrep/model/confidence.py",
        "return _NONE_HITS if leading.found else 0",
        "return _NONE_HITS",
        (CONFIDENCE + "test_where_no_word_of_the_question_stands_nothing_is_kept",),
    ),
    Sabotage(
        "the parts of a name that is nowhere are enough",
        "ggrep/model/confidence.py",
        "return Confidence.WEAK if leading.wording is Wording.UNKNOWN else Confidence.STRONG",
        "return Confidence.STRONG",
        (CONFIDENCE + "test_a_name_that_stands_nowhere_has_no_match_whatever_its_parts_are",),
    ),
    Sabotage(
        "a word that one repository lacks is missing everywhere",
        "ggrep/model/confidence.py",
        "if all(word in part for part in parts))",
        "if any(word in part for part in parts))",
        (CONFIDENCE + "test_several_repositories_lack_only_what_each_of_them_lacks",),
    ),
    # The encoder.
    Sabotage(
        "a very frequent word begins to count anew",
        "ggrep/index/embedding/static_encoder.py",
        "LOGS[np.minimum(counts, _MAX_COUNT)]",
        "LOGS[counts % (_MAX_COUNT + 1)]",
        (STATIC_ENCODER + "test_more_than_255_times_counts_as_255",),
    ),
    Sabotage(
        "a query's words weigh as a document's",
        "ggrep/index/embedding/static_encoder.py",
        "self._encode([text], self._model.query_weights)",
        "self._encode([text], self._model.document_weights)",
        (STATIC_ENCODER + "test_queries_and_documents_weigh_words_differently",),
    ),
    Sabotage(
        "of a long text the last piece alone counts",
        "ggrep/index/embedding/static_encoder.py",
        "sums[place] += coefficients",
        "sums[place] = coefficients",
        (STATIC_ENCODER + "test_blocks_and_pieces_do_not_show",),
    ),
    Sabotage(
        "a text's first word is its neighbour's last",
        "ggrep/index/embedding/static_encoder.py",
        "owners * np.int32(vocabulary)\n",
        "owners * np.int32(vocabulary - 1)\n",
        (STATIC_ENCODER + "test_a_vector_does_not_depend_on_its_batch",),
    ),
    Sabotage(
        "every word ever met is remembered",
        "ggrep/index/embedding/static_encoder.py",
        "            self.clear()\n",
        "            pass\n",
        (STATIC_ENCODER + "test_threads_may_share_an_encoder",),
    ),
    Sabotage(
        "lengths are of more steps than add up exactly",
        "ggrep/index/embedding/static_encoder.py",
        "float(1 << 21)",
        "float(1 << 24)",
        (STATIC_ENCODER + "test_the_largest_sums_are_still_exact",),
    ),
    Sabotage(
        "a text has no last word",
        "ggrep/index/embedding/features.py",
        "words(text)[:MAX_WORDS]",
        "words(text)",
        (STATIC_ENCODER + "test_of_a_huge_text_the_first_words_count",),
    ),
    Sabotage(
        "the parts of a word are not seen",
        "ggrep/index/embedding/features.py",
        "return word_terms(word)",
        "return word_terms(word)[:1]",
        (STATIC_ENCODER + "test_features_are_those_of_their_revision",),
    ),
    Sabotage(
        "each store reads the model again",
        "ggrep/index/embedding/encoder_choice.py",
        "@lru_cache(maxsize=2)\n",
        "",
        (STATIC_ENCODER + "test_a_model_is_read_once_until_another_lies_there",),
    ),
    Sabotage(
        "a model that was replaced is used on",
        "ggrep/index/embedding/encoder_choice.py",
        "_static(static_folder(name), identity.digest)",
        '_static(static_folder(name), "")',
        (STATIC_ENCODER + "test_a_model_is_read_once_until_another_lies_there",),
    ),
    Sabotage(
        "queries of the static encoder wait for their turn",
        "ggrep/search/engine/repo_index.py",
        "queries=not quick",
        "queries=True",
        (ENGINE + "test_every_encoder_s_batches_are_counted_and_no_quick_query_waits",),
    ),
    # Its model.
    Sabotage(
        "a model's weights are not looked at",
        "ggrep/index/embedding/static_model.py",
        "for name in (WORDS, VECTORS, WEIGHTS):",
        "for name in (WORDS, VECTORS):",
        (STATIC_MODEL + "test_one_flipped_bit_is_noticed",),
    ),
    Sabotage(
        "vectors stay as they came though words are sorted",
        "training/encoder/model_file.py",
        "quantise(vectors[order])",
        "quantise(vectors)",
        (STATIC_MODEL + "test_the_order_of_the_words_leaves_no_trace",),
    ),
    Sabotage(
        "a row's scale is forgotten",
        "training/encoder/model_file.py",
        "weights[order].astype(np.float64) * scales",
        "weights[order].astype(np.float64)",
        (STATIC_MODEL + "test_what_was_written_is_read",),
    ),
    # Its training.
    Sabotage(
        "a longer sum is a nearer one to the slopes",
        "training/encoder/contrast.py",
        "(slope - self.vectors * along) / self.lengths",
        "slope / self.lengths",
        (CONTRAST + "test_slopes_agree_with_differences_of_the_loss",),
    ),
    Sabotage(
        "texts are not told apart by questions",
        "training/encoder/contrast.py",
        "for axis in (1, 0):",
        "for axis in (1, 1):",
        (CONTRAST + "test_the_loss_is_the_mean_of_both_directions",),
    ),
    Sabotage(
        "the first steps are small ones",
        "training/encoder/contrast.py",
        "mean = first[places] / (1 - _MOMENTUM**self.steps)",
        "mean = first[places]",
        (CONTRAST + "test_adam_is_the_textbook_formula_on_the_given_rows",),
    ),
    Sabotage(
        "names of one project are learnt",
        "training/encoder/bags.py",
        "        users.update(seen)\n",
        "        users.update({word: 3 for word in seen})\n",
        (BAGS + "test_the_vocabulary_is_sorted_and_shared_by_three_packages",),
    ),
    Sabotage(
        "one large package decides the vocabulary",
        "training/encoder/bags.py",
        "-min(texts[word], _MOST_PER_PACKAGE * users[word]), word",
        "-texts[word], word",
        (BAGS + "test_one_large_package_does_not_decide_the_vocabulary",),
    ),
    Sabotage(
        "a block runs on into the next package",
        "training/encoder/batches.py",
        "min(start + block, end)",
        "start + block",
        (BATCHES + "test_blocks_of_a_package_stay_together",),
    ),
    Sabotage(
        "packages without pairs judge",
        "training/encoder/batches.py",
        "np.unique(packages)",
        "np.arange(number)",
        (BATCHES + "test_packages_without_pairs_do_not_judge",),
    ),
    Sabotage(
        "packages that judge are learnt from",
        "training/encoder/training.py",
        "np.flatnonzero(~np.isin(pairs.packages, aside))",
        "np.arange(len(pairs.packages))",
        (TRAINING + "test_packages_that_judge_are_not_learnt_from",),
    ),
    Sabotage(
        "a query that knows no word finds its text",
        "training/encoder/training.py",
        "np.sum(scores >= np.diagonal(scores)[:, None], axis=1)",
        "np.sum(scores > np.diagonal(scores)[:, None], axis=1) + 1",
        (TRAINING + "test_a_query_of_unknown_words_finds_nothing",),
    ),
    Sabotage(
        "names of things judge what was learnt",
        "training/encoder/training.py",
        "np.flatnonzero((pairs.packages == package) & speaks)",
        "np.flatnonzero(pairs.packages == package)",
        (TRAINING + "test_only_pairs_in_which_somebody_speaks_judge",),
    ),
    # What it is trained on.
    Sabotage(
        "a copyleft file that leaves no choice is learnt from",
        "training/encoder/wanted.py",
        "if _COPYLEFT.search(head) and not _CHOICE.search(head):",
        "if _COPYLEFT.search(head) and _CHOICE.search(head):",
        (UNPACKING + "test_a_file_under_copyleft_is_dropped",),
    ),
    Sabotage(
        "a version hides an excluded name",
        "training/encoder/wanted.py",
        "        bare = shorter\n",
        "        break\n",
        (UNPACKING + "test_excluded_names_are_dropped_wherever_they_stand",),
    ),
    Sabotage(
        "sources beside their TypeScript are taken for compiled",
        "training/encoder/wanted.py",
        '        and "src" not in path[:-1]\n',
        "",
        (UNPACKING + "test_what_was_compiled_from_typescript_is_dropped",),
    ),
    Sabotage(
        "an excluded project's scope is free",
        "training/encoder/packages.py",
        "return whole in names or (bool(slash) and scope in names)",
        "return whole in names",
        (PACKAGES + "test_names_and_scopes_are_excluded_however_they_are_written",),
    ),
    Sabotage(
        "a name is handed on though an option hides behind it",
        "training/encoder/packages.py",
        "if not pattern.fullmatch(texts[key]):",
        "if not pattern.match(texts[key]):",
        (PACKAGES + "test_what_is_no_list_of_packages_is_refused",),
    ),
    Sabotage(
        "a version number makes a new text",
        "training/encoder/near_duplicates.py",
        "words = _hashes(text, numbers_alike=True)",
        "words = _hashes(text, numbers_alike=False)",
        (DUPLICATES + "test_a_table_of_other_numbers_is_no_new_text",),
    ),
    Sabotage(
        "one band in common makes a text old",
        "training/encoder/near_duplicates.py",
        "_COLLIDING_BANDS: Final = 3",
        "_COLLIDING_BANDS: Final = 1",
        (DUPLICATES + "test_one_band_in_common_makes_no_text_old",),
    ),
    Sabotage(
        "what stands in every file makes files near",
        "training/encoder/near_duplicates.py",
        "digests[files <= _COMMON_IN_FILES]",
        "digests",
        (DUPLICATES + "test_what_many_files_share_makes_no_file_near",),
    ),
    Sabotage(
        "a licence makes files near",
        "training/encoder/near_duplicates.py",
        "_hashes(without_licence(text), numbers_alike=False)",
        "_hashes(text, numbers_alike=False)",
        (DUPLICATES + "test_a_shared_licence_makes_no_file_near",),
    ),
    Sabotage(
        "a question is asked once in all languages",
        "training/encoder/near_duplicates.py",
        r"{pair.query.lower()}\0{pair.language}\0",
        r"{pair.query.lower()}\0",
        (DUPLICATES + "test_a_question_is_kept_three_times_in_a_language",),
    ),
)

"""Sabotages of packs and of questions to many repositories at once; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

BYTES = ("tests/properties/test_joint_pools.py",)
DIRECTORY = "tests/packs/test_pack_directory.py::"
IMAGE = "tests/packs/test_pack_image.py::"
REACH = ("tests/properties/test_joint_reach.py",)
JOINT = "tests/engine/test_joint_pools.py::"
LISTED = "tests/federation/test_listed_repositories.py::"
MEMBERS = "tests/daemon/test_joint_pooling.py::"
MERGING = "tests/lexical/test_postings_merging.py::"

PACK_SABOTAGES = (
    Sabotage(
        "postings of a later segment mean rows of the first",
        "ggrep/index/lexical/postings_merging.py",
        "field.rows.astype(np.uint32) + np.uint32(first)",
        "field.rows.astype(np.uint32)",
        (MERGING + "test_merged_postings_are_those_of_one_builder",),
    ),
    Sabotage(
        "words of one digest are taken for each other",
        "ggrep/index/lexical/postings_merging.py",
        "if (text[_spread(offsets[own], lengths[own])] != each.term_bytes).any():",
        "if False:",
        (MERGING + "test_terms_of_one_digest_are_not_taken_for_each_other",),
    ),
    Sabotage(
        "counts beyond a byte are cut where postings are merged",
        "ggrep/index/lexical/postings_merging.py",
        "        often.append(targets[many])\n",
        "        often.append(targets[many][:0])\n        many = many[:0]\n",
        (MERGING + "test_merged_postings_are_those_of_one_builder",),
    ),
    Sabotage(
        "a damaged pack is read",
        "ggrep/index/packs/pack_image.py",
        'or meta.get("crc32") != _checksums(image.arrays)',
        "",
        (IMAGE + "test_a_byte_that_is_another_is_noticed_wherever_it_lies",),
    ),
    Sabotage(
        "types of rows keep the numbers of their own segment",
        "ggrep/index/packs/pack_image.py",
        "np.array(places or [0], dtype=kind)[values.view(kind)]",
        "values.view(kind)",
        (IMAGE + "test_each_segment_lies_in_it_as_in_its_own_image",),
    ),
    Sabotage(
        "packs are removed before there is another",
        "ggrep/index/packs/pack_directory.py",
        "    with alone(home.packs / _LOCK, patience):\n        _sweep(home)\n"
        "        merged, parts = _gathered(home, loose)\n",
        "    with alone(home.packs / _LOCK, patience):\n        _sweep(home)\n"
        "        merged, parts = _gathered(home, loose)\n"
        "        [path.unlink() for path in merged]\n",
        (DIRECTORY + "test_a_disk_that_is_full_leaves_the_old_ones",),
    ),
    Sabotage(
        "an opened pack is not looked at again",
        "ggrep/index/packs/opened_packs.py",
        "if known is not None and lie_still({str(path): known[0]}):",
        "if known is not None:",
        (DIRECTORY + "test_one_that_somebody_damaged_is_passed_over_and_replaced",),
    ),
    Sabotage(
        "hidden files of a packed segment are shown",
        "ggrep/search/query/joint_view.py",
        "visible[one.first_file : one.first_file + one.files] = files",
        "visible[one.first_file : one.first_file + one.files] = True",
        (DIRECTORY + "test_edits_show_at_once_beside_a_pack",),
    ),
    Sabotage(
        "files of a pack are the first member's",
        "ggrep/search/query/joint_view.py",
        "owners[one.first_file : one.first_file + one.files] = member",
        "owners[one.first_file : one.first_file + one.files] = 0",
        BYTES,
    ),
    Sabotage(
        "scores are measured against the first member's figures",
        "ggrep/search/engine/joint_pools.py",
        "total = sum_statistics((figures.total(), *question.others))",
        "total = sum_statistics((figures.of(0), *question.others))",
        BYTES,
    ),
    Sabotage(
        "hits that score like the last one shown are not sent",
        "ggrep/search/engine/joint_pools.py",
        "for _, group in groupby(found, key=lambda one: one.score):",
        "for group in ([one] for one in found):",
        (JOINT + "test_all_that_score_like_the_last_one_are_sent",),
    ),
    Sabotage(
        "copies behind the lists' ends are not told",
        "ggrep/search/engine/joint_pools.py",
        "for member, corpus, hit in self._copies(ranked, lists, self._others_texts() | texts):",
        "for member, corpus, hit in ():",
        BYTES,
    ),
    Sabotage(
        "copies are told that no list holds",
        "ggrep/search/engine/joint_pools.py",
        "chosen = self._choose(one, own.corpus, self.question.per_list).candidates",
        "chosen = self._choose(one, own.corpus, 500).candidates",
        (JOINT + "test_a_copy_is_told_where_its_own_list_holds_it",),
    ),
    Sabotage(
        "evidence is not weighed where many are asked at once",
        "ggrep/search/engine/joint_pools.py",
        "        if factors is None:\n            return ranked\n",
        "        if factors is None or True:\n            return ranked\n",
        BYTES,
    ),
    Sabotage(
        "what all lead with is told by nobody",
        "ggrep/federation/joint_asking.py",
        "NOBODY_LEADS if pools else response.leading",
        "NOBODY_LEADS",
        BYTES,
    ),
    Sabotage(
        "an epoch shows what is there by now",
        "ggrep/daemon/joint_members.py",
        "        epoch = self._epochs.get(name)\n",
        "        epoch = next(reversed(self._newest.values()), None)\n",
        (MEMBERS + "test_both_are_asked_as_they_were_described",),
    ),
    Sabotage(
        "an image that somebody touched is read",
        "ggrep/search/query/joint_view.py",
        "if view.notices or not view.lies_still():",
        "if view.notices:",
        (MEMBERS + "test_an_image_that_was_touched_is_not_read",),
    ),
    Sabotage(
        "repositories that failed are not listed",
        "ggrep/federation/attendance_json.py",
        "everybody & {*shown, *response.selection.named, *told, *failed, *missed}",
        "everybody & {*shown, *response.selection.named}",
        (LISTED + "test_who_failed_is_selected_by_name_or_has_something_to_say_is_listed",),
    ),
    Sabotage(
        "repositories of copies are not listed",
        "ggrep/federation/federated_response.py",
        "            yield from (copy.repo_id for copy in merged.also_in)\n",
        "",
        (LISTED + "test_copies_are_of_repositories_that_are_listed",),
    ),
    Sabotage(
        "code is thought to score no more than it does before it is corrected",
        "ggrep/search/engine/joint_reach.py",
        "    highest = MOST if ranked.correction is not None else 1.0\n",
        "    highest = 1.0\n",
        REACH,
    ),
    Sabotage(
        "the correction is thought to lift prose instead of code",
        "ggrep/search/engine/joint_reach.py",
        "image.row_corpora == _CODE, highest, 1.0",
        "image.row_corpora != _CODE, highest, 1.0",
        REACH,
    ),
    Sabotage(
        "rows that may matter are judged before they are corrected",
        "ggrep/search/engine/joint_reach.py",
        "zip(ranked.segments, scores, masks, weights, strict=True)",
        "zip(ranked.segments, ranked.scores, masks, weights, strict=True)",
        REACH,
    ),
    Sabotage(
        "files that confidence goes by are forgotten",
        "ggrep/search/engine/joint_reach.py",
        " | (bound + _ROUNDED >= leading)",
        "",
        REACH,
    ),
    Sabotage(
        "one of the members that reach an answer is told",
        "ggrep/search/engine/joint_reach.py",
        "owners_of(segment)[segment.image.row_files[mask]].tolist()",
        "owners_of(segment)[segment.image.row_files[mask]].tolist()[:1]",
        REACH,
    ),
    Sabotage(
        "a list that is not full has a least score all the same",
        "ggrep/search/engine/joint_pools.py",
        "found[end - 1].score if full else 0.0",
        "found[end - 1].score if end else 0.0",
        REACH,
    ),
    Sabotage(
        "hits that folding takes away fill a list",
        "ggrep/search/engine/joint_pools.py",
        "stay = sum(min(numbers.values()) for numbers in held.values()) if ids else end",
        "stay = end",
        REACH,
    ),
    Sabotage(
        "what a list's last hit counts is not weighed",
        "ggrep/search/engine/joint_pools.py",
        "texts, found[end - 1].score if full",
        "texts, listed[-1].score if full",
        REACH,
    ),
    Sabotage(
        "copies of what is shown are thought to change nothing",
        "ggrep/search/engine/joint_pools.py",
        "            found |= {*self._holders(silent, own, set())}\n",
        "            found |= {*()}\n",
        REACH,
    ),
    Sabotage(
        "silent members show what they have",
        "ggrep/search/engine/joint_pools.py",
        "return [~mask for mask in self._within(self.question.silent)]",
        "return self.every.eligible",
        REACH,
    ),
    Sabotage(
        "a verdict is given to another repository",
        "ggrep/federation/joint_asking.py",
        "{members[place]: place in reaching for place in silent}",
        "{members[place]: place - 1 in reaching for place in silent}",
        BYTES,
    ),
    Sabotage(
        "those asked by themselves are measured and not counted",
        "ggrep/federation/joint_asking.py",
        "others=tuple(told.values()),",
        "others=(),",
        BYTES,
    ),
    Sabotage(
        "of a text that several have as well the most hits stay",
        "ggrep/search/engine/joint_pools.py",
        "stay = sum(min(numbers.values())",
        "stay = sum(max(numbers.values())",
        (JOINT + "test_whoever_has_the_best_copy_may_be_any_of_those_that_score_alike",),
    ),
    Sabotage(
        "more of a list is sent than takes part",
        "ggrep/search/engine/joint_pools.py",
        "if numbers[member] <= self.question.per_list:",
        "if numbers[member]:",
        (JOINT + "test_no_more_of_a_list_is_sent_than_takes_part",),
    ),
)

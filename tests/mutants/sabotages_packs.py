"""Sabotages of packs and of questions to many repositories at once; see `sabotages.py`."""

from tests.mutants.sabotages import Sabotage

BYTES = ("tests/properties/test_joint_pools.py",)
DIRECTORY = "tests/packs/test_pack_directory.py::"
IMAGE = "tests/packs/test_pack_image.py::"
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
        "joint.lists(figures.total())",
        "joint.lists(figures.of(0))",
        BYTES,
    ),
    Sabotage(
        "hits that score like the last one shown are not sent",
        "ggrep/search/engine/joint_pools.py",
        "while 0 < end < len(found) and found[end].score == found[last].score:",
        "while False:",
        (JOINT + "test_all_that_score_like_the_last_one_are_sent",),
    ),
    Sabotage(
        "copies behind the lists' ends are not told",
        "ggrep/search/engine/joint_pools.py",
        "            for member, corpus, hit in self._copies(ranked, lists, texts):\n",
        "            for member, corpus, hit in ():\n",
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
        "_NOBODY_LEADS if place else response.leading",
        "_NOBODY_LEADS",
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
        "everybody & {*shown, *response.selection.named, *told, *failed}",
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
)

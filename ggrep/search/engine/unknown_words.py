"""Reports the words of a query that no indexed file contains, even if other words match."""

from typing import Final

from ggrep.base.clock import Deadline
from ggrep.model.confidence import (
    UNKNOWN_WORDS,
    Confidence,
    TopFiles,
    lacking_words,
    unknown_words_message,
)
from ggrep.model.limits import Notice
from ggrep.search.navigation.definitions import near_names
from ggrep.search.navigation.name_candidates import Searched, split_name
from ggrep.search.query.pipeline import Ranked

_LIKENESS: Final = 3
"""A name counts as near if at most one letter in this many differs."""


def unknown_word_notices(
    ranked: Ranked, leading: TopFiles, confidence: Confidence, deadline: Deadline
) -> tuple[Notice, ...]:
    """Return a notice of names that no indexed file contains, with the most similar existing names.

    Unknown words that are not names are listed only if confidence in the answer is low. There is no
    notice if nothing matches at all and no existing name is similar.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    unknown = lacking_words(leading, confidence)
    if not unknown:
        return ()
    searched = Searched(ranked.view, ranked.segments, ranked.eligible)
    near = [
        name.name
        for word in unknown
        if word in leading.names
        for name in near_names(searched, split_name(word), deadline)
        if name.order[0] <= len(word) // _LIKENESS
    ]
    if not near and not leading.leaders:
        return ()
    message = unknown_words_message("no file contains", unknown)
    if near:
        message += f"; nearest: {', '.join(dict.fromkeys(near))}"
    return (Notice(UNKNOWN_WORDS, message),)

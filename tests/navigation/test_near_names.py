"""Names that letters rule out are never near ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ggrep.search.navigation.definitions import _distance, _plain, may_be_near

letters = st.text(st.sampled_from("abcz_-\u00e9\u4e00"), min_size=1, max_size=9)


@st.composite
def neighbours(draw: st.DrawFn, name: str) -> str:
    """Return a name after a few edits, or within a longer one."""
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(name)))
        name = name[:place] + draw(st.sampled_from(["", "b", "_"])) + name[place + 1 :]
    return draw(st.sampled_from(["", "ab", "c_"])) + name or "a"


@given(st.data(), letters, st.lists(letters, max_size=6))
def test_every_near_name_passes(data: st.DataObject, wanted: str, others: list[str]) -> None:
    """Whatever the letters: those of other scripts, too."""
    plain = _plain(wanted)
    terms = [*others, *(data.draw(neighbours(wanted)) for _ in range(4))]
    encoded = [term.encode() for term in terms]
    ends = np.cumsum([len(term) for term in encoded]).astype(np.uint32)
    starts = np.concatenate(([0], ends[:-1])).astype(np.uint32)
    blob = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    passed = may_be_near(plain, blob, starts)

    for term, kept in zip(terms, passed.tolist(), strict=True):
        assert kept or _distance(plain, _plain(term)) is None


def test_other_names_are_ruled_out() -> None:
    """Comparing each name with the requested one takes a second in a large tree."""
    blob = np.frombuffer(b"parse_urlconnectrender", dtype=np.uint8)
    starts = np.array([0, 9, 16], np.uint32)

    assert may_be_near("parseurls", blob, starts).tolist() == [True, False, False]

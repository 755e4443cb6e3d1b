"""Which pairs are told apart together, and which judge."""

import numpy as np
import pytest

from training.encoder.batches import Places, batches, kept_back

PACKAGES = np.repeat(np.arange(7), [130, 3, 64, 0, 41, 250, 12]).astype(np.int64)


def drawn(seed: int, size: int = 90, block: int = 16) -> list[Places]:
    return list(batches(PACKAGES, size, block, np.random.default_rng(seed)))


@pytest.mark.parametrize(("size", "block"), [(90, 16), (1, 1), (500, 500), (100, 7)])
def test_each_pair_comes_once_but_those_of_the_last_batch(size: int, block: int) -> None:
    """An epoch favours none."""
    found = drawn(1, size, block)
    places = np.concatenate(found).tolist()

    assert len(places) == len(set(places))
    assert len(PACKAGES) - len(places) < size
    assert all(size <= len(batch) < size + block for batch in found)


def test_fewer_pairs_than_a_batch_are_none() -> None:
    """A small one would be told apart too easily."""
    assert drawn(1, size=len(PACKAGES) + 1) == []
    assert len(drawn(1, size=len(PACKAGES))) == 1


def test_blocks_of_a_package_stay_together() -> None:
    """Texts of one project are the hard ones to tell apart."""
    every = list(batches(PACKAGES, 1, 16, np.random.default_rng(4)))
    sizes = {package: sorted(map(len, of(every, package))) for package in (0, 1, 2, 5)}

    assert all(len(set(PACKAGES[block].tolist())) == 1 for block in every)
    assert sizes[0] == [2, *[16] * 8]
    assert sizes[1] == [3]
    assert sizes[2] == [16] * 4
    assert sizes[5] == [10, *[16] * 15]


def of(blocks: list[Places], package: int) -> list[Places]:
    return [block for block in blocks if PACKAGES[block[0]] == package]


def test_blocks_hold_other_pairs_every_epoch() -> None:
    """Neighbours in a file would always meet otherwise."""
    (batch,) = batches(np.zeros(64, np.int64), 64, 16, np.random.default_rng(1))

    assert sorted(batch.tolist()) == list(range(64))
    assert sorted(batch[:16].tolist()) != list(range(16))


def test_a_batch_holds_blocks_of_several_packages() -> None:
    """One project alone would teach only what sets its own texts apart."""
    assert all(len(set(PACKAGES[batch].tolist())) > 1 for batch in drawn(1))


def test_batches_are_decided_by_the_seed() -> None:
    """A model can be made again."""
    first, again, other = (np.concatenate(drawn(seed)).tolist() for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_packages_are_kept_back_by_the_seed() -> None:
    """Whole packages: pairs of one resemble each other."""
    many = np.repeat(np.arange(100), 2)
    first, again, other = (
        kept_back(many, 100, 0.2, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)
    )

    assert len(first) == len(set(first)) == 20
    assert first == sorted(again)
    assert first != other
    assert set(first) <= set(range(100))


@pytest.mark.parametrize(("present", "share", "kept"), [(100, 0.01, 12), (10, 0.04, 5), (1, 1, 0)])
def test_a_dozen_judge_but_never_more_than_half(present: int, share: float, kept: int) -> None:
    """Figures of fewer say little, and something must be left to learn from."""
    packages = np.repeat(np.arange(present), 3)

    assert len(kept_back(packages, present, share, np.random.default_rng(1))) == kept
    assert len(kept_back(packages, present, 0.9, np.random.default_rng(1))) == present // 2


def test_packages_without_pairs_do_not_judge() -> None:
    """Package 3 of the seven has none."""
    found = {
        package
        for seed in range(20)
        for package in kept_back(PACKAGES, 7, 0.5, np.random.default_rng(seed)).tolist()
    }

    assert found == {0, 1, 2, 4, 5, 6}

"""Images give back what was put in, or say what is wrong."""

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.index.store.image import open_image, write_image
from ggrep.index.store.mapped_files import give_back
from tests.fakes.resident import resident_bytes

dtypes = st.sampled_from([np.uint8, np.int8, np.uint16, np.uint32, np.uint64, np.float64])
shapes = arrays_of.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=9)
arrays = st.dictionaries(
    st.sampled_from(["a", "b.c", "z9"]), dtypes.flatmap(lambda d: arrays_of.arrays(d, shapes))
)


@given(arrays)
def test_arrays_come_back_as_they_went_in(tmp_path: Path, arrays: dict[str, np.ndarray]) -> None:
    path = tmp_path / "x.image"
    write_image(path, arrays, {"types": ["a"]})
    image = open_image(path)

    assert image.meta == {"types": ["a"]}
    assert image.arrays.keys() == arrays.keys()
    for name, values in arrays.items():
        result = image.arrays[name]
        assert (result.dtype, result.shape) == (values.dtype, values.shape)
        assert result.tobytes() == values.tobytes()
        assert not result.flags.writeable


def test_equal_arrays_give_equal_bytes(tmp_path: Path) -> None:
    """Digests are compared; a small image is read, as memory given back would be zeros."""
    values = {"b": np.arange(3), "a": np.arange(5)}
    write_image(tmp_path / "1", values, {})
    write_image(tmp_path / "2", dict(reversed(values.items())), {})

    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()

    path = tmp_path / "x.image"
    write_image(path, {"a": np.arange(9)}, {})

    assert open_image(path).mapped is None


def test_what_is_no_image_is_damage_and_another_format_is_named(tmp_path: Path) -> None:
    """An image ends early or has no magic; a newer build's is not damage."""
    path = tmp_path / "x.image"
    write_image(path, {"a": np.arange(1000)}, {})
    whole = path.read_bytes()
    for data in (b"", whole[:100], b"x" * 200, whole[:-4000], whole[:20] + b"!" + whole[21:]):
        path.write_bytes(data)
        with pytest.raises(CorruptStore):
            open_image(path)

    write_image(path, {}, {})
    path.write_bytes(re.sub(rb"ggrep-image-\d", b"ggrep-image-9", path.read_bytes()))

    with pytest.raises(Incompatible, match="ggrep-image-9"):
        open_image(path)


def test_a_header_in_which_a_bit_fell_over_is_damage(tmp_path: Path) -> None:
    """It says where the arrays lie; the rest of the file is hashed only when it looks changed."""
    path = tmp_path / "x.image"
    write_image(path, {"rows": np.arange(4, dtype=np.uint32)}, {"types": ["a"]})
    data = path.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    for place in range(16, 16 + length):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with suppress(CorruptStore, Incompatible):
            assert np.array_equal(open_image(path).arrays["rows"], np.arange(4))


def test_memory_of_a_mapped_image_is_given_back_and_its_content_stays(tmp_path: Path) -> None:
    """A host looks at a thousand images once each, and answers from others."""
    path, values = tmp_path / "x.image", np.arange(100_000, dtype=np.uint64)
    write_image(path, {"a": values}, {})
    image = open_image(path)
    read = int(image.arrays["a"].sum())
    kept = resident_bytes(path)
    assert image.mapped is not None
    give_back(image.mapped)
    left = resident_bytes(path)

    assert (kept > 100_000, left) == (True, 0)
    assert int(image.arrays["a"].sum()) == read == int(values.sum())

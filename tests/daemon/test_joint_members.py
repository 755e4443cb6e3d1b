"""What a host remembers of lists of its stores."""

from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.daemon.joint_members import Described, JointMembers
from ggrep.model.response import RepoDescription


def told(name: str) -> RepoDescription:
    return RepoDescription(
        store_id=name,
        config_fingerprint="c",
        ignore_fingerprint="i",
        snapshot_id="s",
        degraded=False,
        embed_key="e",
        lexical_key="l",
        schema_key="k",
        counts=(),
        has_vectors=False,
    )


def members(*every: RepoDescription | None) -> tuple[Described, ...]:
    return tuple(Described(description=one) for one in every)


def test_what_changed_alone_is_written_anew() -> None:
    """While a host starts, some of a thousand change with every question."""
    joint, first, second = JointMembers(), told("a"), told("b")
    begun = joint.begin("k", members(first, None, second))
    moved = replace(second, freshness="behind")
    after = joint.begin("k", members(first, None, moved))

    assert begun.document == [to_builtins(first), None, to_builtins(second)]
    assert after.document == [to_builtins(first), None, to_builtins(moved)]
    assert after.document[0] is begun.document[0]
    assert begun.name != after.name


def test_one_that_comes_or_goes_is_told() -> None:
    joint, first, second = JointMembers(), told("a"), told("b")
    joint.begin("k", members(first, second))

    assert joint.begin("k", members(first, None)).document == [to_builtins(first), None]
    assert joint.begin("k", members(second, first)).document == [
        to_builtins(second),
        to_builtins(first),
    ]


def test_what_did_not_change_has_its_name() -> None:
    joint, first = JointMembers(), told("a")
    begun = joint.begin("k", members(first))

    assert joint.begin("k", members(replace(first))).name == begun.name

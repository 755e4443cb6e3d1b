"""One home whose indexes do not compare: the user gave some repositories another encoder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.command import fits
from tests.journeys.household import Household, household

pytestmark = pytest.mark.slow

ENCODERS = {"anvil": "hashed", "bellows": "static", "crane": "static", "drill": "none"}
STATIC = ["bellows", "crane"]


@pytest.fixture(scope="module")
def house() -> Iterator[Household]:
    """Return a home with an index of each, and a workspace of all."""
    with household() as result:
        roots = {
            name: result.repo(
                name, {f"src/{name}.py": f"def forge_{name}(iron):\n    return iron\n"}
            )
            for name in ENCODERS
        }
        result.home.mkdir()
        tables = (f'[root."{roots[name]}"]\nencoder = "{ENCODERS[name]}"\n' for name in ENCODERS)
        (result.home / "config.toml").write_text("".join(tables))
        entries = ",".join(f'{{"root": "{name}", "alias": "{name}"}}' for name in ENCODERS)
        (result.base / "w.jsonc").write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        result.index(*roots.values())
        yield result


def asked(house: Household, *flags: str) -> dict[str, Any]:
    """Return the document that answers a question to all of them, by daemons."""
    words = ("search", "forge iron", "--workspace", "w.jsonc", "--json", "--keep-weak")
    outcome = house.run(*words, *flags, cwd=house.base)
    document: dict[str, Any] = outcome.document
    fits(document, "federated_success" if document["ok"] else "federated_error")
    return document


def statuses(document: dict[str, Any]) -> dict[str, str]:
    return {row["alias"]: row["status"] for row in document["repos"]}


def found(document: dict[str, Any]) -> list[str]:
    return sorted({hit["repoAlias"] for hit in document["results"]})


def codes(document: dict[str, Any]) -> set[str]:
    reported = document["diagnostics"]
    return {each["code"] for each in (*reported["warnings"], *reported["errors"])}


def test_the_largest_cohort_is_asked_and_the_rest_is_named(house: Household) -> None:
    """Hits of encoders that do not compare are never merged unasked."""
    document = asked(house)

    assert found(document) == STATIC
    assert statuses(document) == {
        "anvil": "incompatible",
        "bellows": "ok",
        "crane": "ok",
        "drill": "incompatible",
    }
    assert {"WARN_FEDERATED_MULTI_COHORT", "WARN_FEDERATED_COHORT_EXCLUDED"} <= codes(document)


@pytest.mark.deep
def test_the_strict_policy_refuses_to_choose(house: Household) -> None:
    document = asked(house, "--cohort-policy", "strict")

    assert document["code"] == "ERR_FEDERATED_MULTI_COHORT"


@pytest.mark.deep
def test_a_named_cohort_is_asked_alone(house: Household) -> None:
    """By the key that the doctor names."""
    doctor = house.run("workspace", "doctor", "w.jsonc", "--json", cwd=house.base).document
    keys = {part["compatibilityKey"] for parts in doctor["cohorts"].values() for part in parts}
    alone = [asked(house, "--cohort", key) for key in sorted(keys)]
    nobody = asked(house, "--cohort", "0123456789abcdef")

    assert sorted(found(document) for document in alone) == [["anvil"], STATIC, ["drill"]]
    assert nobody["code"] == "ERR_FEDERATED_COHORT_NOT_FOUND"


@pytest.mark.deep
def test_a_corpus_can_be_asked_of_another_cohort(house: Household) -> None:
    """The answer says which cohort each corpus was asked of, and who was left out."""
    usual = asked(house)["meta"]["cohort"]["byMode"]
    alone = asked(house, "--repo-filter", "anvil")["meta"]["cohort"]["byMode"]
    mixed = asked(house, "--cohort", f"code:{alone['code']['cohortKey']}")

    assert len(usual["code"]["excludedRepoIds"]) == 2
    assert found(mixed) == ["anvil"]
    assert mixed["meta"]["cohort"]["byMode"]["prose"] == usual["prose"]


@pytest.mark.deep
def test_the_doctor_says_what_to_set_and_setting_it_mends(house: Household) -> None:
    """No command can: the settings in force decide which index is asked."""
    file = house.home / "config.toml"
    text = file.read_text()
    before = house.run("workspace", "doctor", "w.jsonc", cwd=house.base)
    try:
        file.write_text(text.replace('"hashed"', '"static"').replace('"none"', '"static"'))
        built = house.run("index", "--workspace", "w.jsonc", cwd=house.base)
        document = asked(house)
    finally:
        file.write_text(text)

    assert (
        'to use one encoder, write into config.toml of the ggrep home: encoder = "static"'
        in before.out
    )
    assert built.status == 0
    assert found(document) == sorted(ENCODERS)
    assert codes(document) == set()


@pytest.mark.deep
def test_all_may_be_mixed_by_who_says_that_it_is_unsafe(house: Household) -> None:
    """Everybody answers, and the answer says what was done."""
    document = asked(house, "--allow-unsafe-mix")

    assert found(document) == sorted(ENCODERS)
    assert set(statuses(document).values()) == {"ok"}
    assert "WARN_FEDERATED_UNSAFE_MIXING" in codes(document)


@pytest.mark.deep
def test_a_selection_within_a_cohort_says_nothing_of_others(house: Household) -> None:
    """There is nothing to choose."""
    document = asked(house, "--repo-filter", "bellows", "--repo-filter", "crane")

    assert found(document) == STATIC
    assert not {code for code in codes(document) if "COHORT" in code}


@pytest.mark.deep
def test_the_quick_way_leads_to_the_daemon_of_the_root_s_own_settings(house: Household) -> None:
    """And a change of them is noticed by the next search, not by the one after."""
    root = house.base / "anvil"
    words = ("forge iron", "--compact", "--keep-weak")
    for _ in range(2):
        assert house.run(*words, cwd=root).out.split() == ["src/anvil.py"]
    house.settle(root)
    quick = house.run(*words, cwd=root, python=("-X", "importtime"))
    before = encoders(house, root)
    file = house.home / "config.toml"
    text = file.read_text()
    try:
        file.write_text(text.replace('"hashed"', '"none"'))
        assert house.run(*words, cwd=root).out.split() == ["src/anvil.py"]
        after = encoders(house, root)
    finally:
        file.write_text(text)

    assert "typer" not in quick.err
    assert "hashed" in before
    assert "none" not in before
    assert "none" in after


def encoders(house: Household, root: Path) -> set[str]:
    return {record.encoder for record in house.records() if record.root == str(root)}

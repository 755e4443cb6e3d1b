"""Whole documents for fakes: clients hold what tools return against their schemas."""

from pathlib import Path
from typing import Final

from ggrep.base import stable_json
from ggrep.base.stable_json import Json

_SNAPSHOTS: Final = Path(__file__).parents[1] / "golden" / "__snapshots__"
_OF: Final = {
    "query_success": "test_equal_trees_give_equal_answers[balanced]",
    "slate_success": "test_equal_trees_give_equal_slates[2]",
    "symbol_success": "test_the_definitions_of_a_name_are_the_contracts",
    "references_success": "test_the_usages_of_a_name_are_the_contracts",
    "expand_success": "test_what_stands_around_a_place_is_the_contracts",
    "outline_success": "test_a_file_and_a_folder_in_a_tree_are_outlined_again",
    "tour_success": "test_a_tree_is_shown_around_again",
    "health": "test_health_of_a_sound_store",
    "federated_success": "test_equal_workspaces_give_equal_answers[rrf]",
    "federated_slate": "test_equal_workspaces_give_equal_slates[level_1]",
    "federated_error": "test_a_request_that_reached_no_repository_has_one_shape[workspace]",
}


def golden(name: str) -> dict[str, Json]:
    """Return a document of a schema, which the caller may change."""
    found: dict[str, Json] = stable_json.loads(
        (_SNAPSHOTS / f"test_{name}" / f"{_OF[name]}.json").read_bytes()
    )
    return found

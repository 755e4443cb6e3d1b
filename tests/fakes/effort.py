"""How many examples a property is tried with."""

from hypothesis import settings


def examples(few: int, many: int) -> int:
    """Return `many` under the profile of long proofs and of sabotages, else `few`."""
    return many if settings.get_current_profile_name() == "deep" else few
